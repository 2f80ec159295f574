export type IntervalProps = {
  low: number;
  value: number;
  high: number;
  /** Where nothing is won or lost by it. */
  even: number;
};

/** A value between the ends of what it may well be, on a line with a tick at `even`. */
export function Interval({ low, value, high, even }: IntervalProps) {
  // As wide as it has to be, with `even` in the middle: what is narrow would not be seen on a line from 0 to 1.
  const reach = Math.max(even - low, high - even, 0.05) * 1.3;
  const x = (share: number) => 60 + ((share - even) / reach) * 56;
  return (
    <svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true" className="max-w-full">
      <path d="M4 6h112" className="stroke-line" strokeWidth="2" />
      <path d={`M${x(even)} 1v10`} className="stroke-line-strong" strokeWidth="1.5" />
      <path d={`M${x(low)} 6H${x(high)}`} className="stroke-brand/50" strokeWidth="3" />
      <circle cx={x(value)} cy="6" r="3.5" className="fill-brand" />
    </svg>
  );
}
