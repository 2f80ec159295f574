import { inr, signed } from "#lib/format.ts";
import { DownMark, UpMark } from "#ui/marks.tsx";

/** Rupees in a column: the ₹ steps back behind the figure. */
export function Money({ value }: { value: number }) {
  return <Quiet text={inr(value)} />;
}

/** A gain or a loss: mark, sign and colour together; zero has none of them. */
export function Result({ value }: { value: number }) {
  if (value === 0) return <span className="figures text-ink-3">{inr(0)}</span>;
  return (
    <span
      className={`figures inline-flex items-baseline whitespace-nowrap gap-1.5 font-semibold ${value > 0 ? "text-gain" : "text-loss"}`}
    >
      {value > 0 ? <UpMark /> : <DownMark />}
      {signed(value)}
    </span>
  );
}

function Quiet({ text }: { text: string }) {
  const [before, after] = text.split("₹");
  return (
    <span className="figures whitespace-nowrap">
      {before}
      <span className="text-ink-3">₹</span>
      {after}
    </span>
  );
}
