import type { Schemas } from "#lib/api.ts";
import { inrPaise, plural, signed } from "#lib/format.ts";
import { multiple, percent } from "#lib/ratio-format.ts";
import { Result } from "#ui/money.tsx";

export type JournalGroup = Schemas["JournalGroup"];
type Figures = NonNullable<JournalGroup["figures"]>;

/** Net result of the closed positions of a group after charges; nothing if it has none. */
export function GroupResult({ group: { figures } }: { group: JournalGroup }) {
  return figures && <Result value={figures.net} />;
}

/** Key figures of the closed positions of a group in one line that wraps. */
export function FiguresLine({ figures }: { figures: Figures }) {
  const { closedTrades, net, charges, expectancy, risk } = figures;
  return (
    <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1 text-data">
      <Figure term="Net P&L, after charges">
        <Result value={net} />
      </Figure>
      <Figure term="Closed">{plural(closedTrades, "position")}</Figure>
      <Figure term="Win rate">{winRateText(figures)}</Figure>
      {expectancy !== null && <Figure term="Average">{signed(expectancy)}</Figure>}
      {risk && <Figure term="Average R">{risk.sampleTooSmall ? "too few" : multiple(risk.average)}</Figure>}
      <Figure term="Charges">{inrPaise(charges)}</Figure>
    </dl>
  );
}

function Figure({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-ink-2">{term}</dt>
      <dd className="figures font-semibold">{children}</dd>
    </div>
  );
}

/** Win rate with its 95% confidence interval, such as "56.5% (42.2 to 69.8)". */
function winRateText({ winRate, sampleTooSmall }: Figures): string {
  if (!winRate || sampleTooSmall) return "too few";
  const [low, high] = [winRate.low, winRate.high].map((rate) => percent(rate).replace("%", ""));
  return `${percent(winRate.rate)} (${low} to ${high})`;
}
