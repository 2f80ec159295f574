import { inr, signed } from "#lib/format.ts";
import { DownMark, UpMark } from "#ui/marks.tsx";

/** Rupees, for columns; the ₹ sign is less prominent than the figure. */
export function Money({ value }: { value: number }) {
  return <MutedRupeeSign text={inr(value)} />;
}

/** Profit or loss with mark, sign and colour; zero has none of them. */
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

function MutedRupeeSign({ text }: { text: string }) {
  const [before, after] = text.split("₹");
  return (
    <span className="figures whitespace-nowrap">
      {before}
      <span className="text-ink-3">₹</span>
      {after}
    </span>
  );
}
