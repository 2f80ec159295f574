export type IntervalProps = {
  /** From 0 to 1. */
  low: number;
  value: number;
  high: number;
  /** Where nothing is won or lost by it. */
  even: number;
};

/** A value between the ends of what it may well be, on a line from 0 to 1 with a tick at `even`. */
export function Interval({ low, value, high, even }: IntervalProps) {
  const x = (share: number) => 4 + share * 112;
  return (
    <svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true" className="max-w-full">
      <path d="M4 6h112" className="stroke-line" strokeWidth="2" />
      <path d={`M${x(even)} 1v10`} className="stroke-line-strong" strokeWidth="1.5" />
      <path d={`M${x(low)} 6H${x(high)}`} className="stroke-brand/50" strokeWidth="3" />
      <circle cx={x(value)} cy="6" r="3.5" className="fill-brand" />
    </svg>
  );
}
