import type { Day, Figures, GridCell, SymbolCurve } from "#features/analytics/analytics-api.ts";
import { inrWhole, multiple, signedWhole } from "#features/analytics/analytics-format.ts";
import { weekdayHourName } from "#features/analytics/filters/groupings.ts";
import { count, date, plural } from "#lib/format.ts";

/** What the pictures show, as one would say it. */

export function headline({ closedTrades, net, gross, charges }: Figures): string {
  if (closedTrades === 0) return "Nothing was closed";
  if (net > 0) return `You kept ${inrWhole(net)} of ${inrWhole(gross)}`;
  if (net === 0) return "You came out even";
  if (gross > 0) return `Charges took more than the ${inrWhole(gross)} you made`;
  return `You lost ${inrWhole(-net)}, ${inrWhole(charges)} of it to charges`;
}

export function curveFinding(figures: Figures, days: readonly Day[]): string {
  const fall = figures.drawdown;
  if (!fall) return "The sum never fell below where it had been";
  if (fall.recovered) return `The deepest fall was made good by ${date(fall.recovered)}`;
  const below = days.at(-1)?.drawdown ?? 0;
  return below < 0 ? `${inrWhole(-below)} below the peak of ${date(fall.from)}` : "Back at the peak";
}

export function fallWords(fall: Figures["drawdown"]): string {
  if (!fall) return "";
  const length = plural(fall.days, "day");
  const end = fall.recovered ? `was made good after ${length}` : `is not made good after ${length}`;
  return `The deepest fall, ${inrWhole(fall.amount)} from ${date(fall.from)} to ${date(fall.to)}, ${end}.`;
}

export function daysFinding(days: readonly Day[]): string {
  const up = days.filter(({ net }) => net > 0).length;
  return `${count(up)} of ${plural(days.length, "day")} ended up`;
}

/** Best and worst of a list; undefined where there are not two different ones. */
export function extremes<T extends { net: number }>(list: readonly T[]): { best: T; worst: T } | undefined {
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

export function daysWords(days: readonly Day[]): string {
  const found = extremes(days);
  if (!found) return "";
  const { best, worst } = found;
  return `Best ${date(best.date)}, ${signedWhole(best.net)}. Worst ${date(worst.date)}, ${signedWhole(worst.net)}.`;
}

export function spreadFinding({ averageWin, averageLoss }: Figures): string {
  if (averageWin === null) return averageLoss === null ? "How results spread" : "No win among them yet";
  if (averageLoss === null) return "No loss among them yet";
  return `A win brings ${inrWhole(averageWin)}, a loss costs ${inrWhole(-averageLoss)}`;
}

export function riskFinding({ risk }: Figures): string {
  if (!risk || risk.tooFew) return "What came of each rupee at risk";
  return `A closed trade brings ${multiple(risk.average)} on average`;
}

export function gridFinding(cells: readonly GridCell[]): string {
  const found = extremes(cells);
  if (!found) return "When you open";
  const { best, worst } = found;
  if (worst.net < 0) return `${weekdayHourName(worst.weekday, worst.hour)} cost you ${inrWhole(-worst.net)}`;
  return `${weekdayHourName(best.weekday, best.hour)} brought ${inrWhole(best.net)}`;
}

export function gridWords(cells: readonly GridCell[]): string {
  const best = extremes(cells)?.best;
  const lead =
    best && best.net > 0
      ? `Best: ${weekdayHourName(best.weekday, best.hour)}, ${signedWhole(best.net)}. `
      : "";
  return `${lead}By the opening, where its time is known. Small figure: closed trades.`;
}

export function chargesFinding({ gross, charges }: Figures): string {
  if (charges === 0) return "No charges";
  if (gross <= 0) return `Charges made the loss ${inrWhole(charges)} larger`;
  const paise = Math.round((charges / gross) * 100);
  if (paise < 1) return "Charges took less than a paisa of each rupee";
  if (paise > 100) return "Charges took more than was made";
  return `Charges took ${plural(paise, "paisa", "paise")} of each rupee`;
}

export function symbolsFinding(symbols: readonly SymbolCurve[]): string {
  const [first, second] = symbols.filter(({ net }) => net > 0).sort((a, b) => b.net - a.net);
  const worst = symbols.filter(({ net }) => net < 0).sort((a, b) => a.net - b.net)[0];
  const carry =
    first &&
    (second ? `${first.symbol} and ${second.symbol} carry the result` : `${first.symbol} carries the result`);
  const cost = worst && `${worst.symbol} cost you ${inrWhole(-worst.net)}`;
  return [carry, cost].filter(Boolean).join(". ") || "What each symbol brought";
}
