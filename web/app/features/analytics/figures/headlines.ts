import type { Day, Figures, GridCell, SymbolCurve } from "#features/analytics/analytics-api.ts";
import { inrWhole, signedWhole } from "#features/analytics/analytics-format.ts";
import { weekdayHourName } from "#features/analytics/filters/groupings.ts";
import { count, date, inrPaise, plural } from "#lib/format.ts";
import { multiple } from "#lib/ratio-format.ts";

// Headlines that state the result of each panel, and the sentences below them.

export function netHeadline({ net, gross, charges }: Figures): string {
  if (net > 0) return `You kept ${inrWhole(net)} of ${inrWhole(gross)} gross profit`;
  if (net === 0) return "You broke even";
  if (gross > 0) return `Charges took more than the ${inrWhole(gross)} you made`;
  return `You lost ${inrWhole(-net)}, ${inrWhole(charges)} of it to charges`;
}

export function curveHeadline(figures: Figures, days: readonly Day[]): string {
  const { drawdown } = figures;
  if (!drawdown) return "No drawdown: your net P&L never fell";
  if (drawdown.recovered) return `Max drawdown was recovered by ${date(drawdown.recovered)}`;
  const below = days.at(-1)?.drawdown ?? 0;
  return below < 0 ? `${inrWhole(-below)} below the peak of ${date(drawdown.from)}` : "Back at the peak";
}

export function drawdownText(drawdown: Figures["drawdown"]): string {
  if (!drawdown) return "";
  const { amount, from, to, recovered, days } = drawdown;
  const end = `${recovered ? "recovered" : "not recovered"} after ${plural(days, "day")}`;
  return `Max drawdown ${inrWhole(amount)} from ${date(from)} to ${date(to)}, ${end}.`;
}

export function daysHeadline(days: readonly Day[]): string {
  const profitable = days.filter(({ net }) => net > 0).length;
  return `${count(profitable)} of ${plural(days.length, "day")} in profit`;
}

/** Returns the best and the worst of a list; undefined if all results are the same. */
function extremes<T extends { net: number }>(list: readonly T[]): { best: T; worst: T } | undefined {
  const [first, ...rest] = list;
  if (!first || rest.length === 0) return undefined;
  let best = first;
  let worst = first;
  for (const item of rest) {
    if (item.net > best.net) best = item;
    if (item.net < worst.net) worst = item;
  }
  return best.net === worst.net ? undefined : { best, worst };
}

export function bestAndWorstDay(days: readonly Day[]): string {
  const extreme = extremes(days);
  if (!extreme) return "";
  const { best, worst } = extreme;
  return `Best: ${date(best.date)}, ${signedWhole(best.net)}. Worst: ${date(worst.date)}, ${signedWhole(worst.net)}.`;
}

export function distributionHeadline({ averageWin, averageLoss }: Figures): string {
  if (averageWin === null) return averageLoss === null ? "Distribution of results" : "No winning trades yet";
  if (averageLoss === null) return "No losing trades yet";
  return `Average win ${inrWhole(averageWin)}, average loss ${inrWhole(-averageLoss)}`;
}

export function riskHeadline({ risk }: Figures): string {
  if (!risk || risk.sampleTooSmall) return "Results in R";
  return `Average result ${multiple(risk.average)}`;
}

export function gridHeadline(cells: readonly GridCell[]): string {
  const extreme = extremes(cells);
  if (!extreme) return "Intraday and F&O results by weekday and hour";
  const { best, worst } = extreme;
  if (worst.net < 0) return `${weekdayHourName(worst.weekday, worst.hour)} cost you ${inrWhole(-worst.net)}`;
  return `${weekdayHourName(best.weekday, best.hour)} earned you ${inrWhole(best.net)}`;
}

export function gridText(cells: readonly GridCell[]): string {
  const best = extremes(cells)?.best;
  const lead =
    best && best.net > 0
      ? `Best: ${weekdayHourName(best.weekday, best.hour)}, ${signedWhole(best.net)}. `
      : "";
  return `${lead}By entry time, for intraday and F&O trades with a time; delivery trades are not counted. The smaller number counts them.`;
}

export function chargesHeadline({ gross, charges }: Figures): string {
  if (charges === 0) return "No charges";
  if (gross <= 0) return `Charges added ${inrWhole(charges)} to the loss`;
  const share = Math.round((charges / gross) * 100);
  if (share < 1) return "Charges took less than 1% of gross profit";
  if (share > 100) return "Charges took more than the gross profit";
  return `Charges took ${share}% of gross profit`;
}

export function symbolsHeadline(symbols: readonly SymbolCurve[]): string {
  const [first, second] = symbols.filter(({ net }) => net > 0).sort((a, b) => b.net - a.net);
  const worst = symbols.filter(({ net }) => net < 0).sort((a, b) => a.net - b.net)[0];
  const earned = first && `${second ? `${first.symbol} and ${second.symbol}` : first.symbol} earned the most`;
  const cost = worst && `${worst.symbol} cost you ${inrWhole(-worst.net)}`;
  return [earned, cost].filter(Boolean).join(". ") || "Results by symbol";
}

/** Tells stated from estimated charges. */
export function chargesText({ charges, statedCharges }: Pick<Figures, "charges" | "statedCharges">): string {
  if (statedCharges === 0) return "Charges are estimated.";
  if (Math.abs(charges - statedCharges) < 0.005) return "Charges are those that your broker states.";
  return `${inrPaise(statedCharges)} of the charges are stated by your broker, the rest is estimated.`;
}
