import clsx from "clsx";
import type { ReactNode } from "react";
import { inrLarge, signedWhole } from "#features/analytics/analytics-format.ts";
import { DownMark, UpMark } from "#ui/marks.tsx";

type FigureProps = {
  term: string;
  value: ReactNode;
  drawing?: ReactNode;
  foot: ReactNode;
  className?: string;
};

/** Key figure in a tile: name, value and a line that explains it. */
export function Figure({ term, value, drawing, foot, className }: FigureProps) {
  return (
    <div className={clsx("border-line border-r border-b px-4 py-4 sm:px-6 min-[72rem]:px-5", className)}>
      <Term>{term}</Term>
      <dd className="mt-2">
        <span className="figures font-heading font-semibold text-h4">{value}</span>
        {drawing && <span className="mt-1 block">{drawing}</span>}
        <Foot>{foot}</Foot>
      </dd>
    </div>
  );
}

export function Term({ children }: { children: ReactNode }) {
  return <dt className="text-data text-ink-2">{children}</dt>;
}

export function Foot({ children }: { children: ReactNode }) {
  return <span className="mt-1.5 block text-floor text-ink-2">{children}</span>;
}

export function tone(value: number): string {
  if (value === 0) return "text-ink-3";
  return value > 0 ? "text-gain" : "text-loss";
}

export function Mark({ value }: { value: number }) {
  if (value === 0) return null;
  return value > 0 ? <UpMark /> : <DownMark />;
}

/** Amount in short form if it is large (₹253.98 Cr), with the exact amount as its title. */
export function Amount({ value, format }: { value: number; format: (value: number) => string }) {
  const exact = format(value);
  const large = inrLarge(value);
  if (!large) return <>{exact}</>;
  const sign = value > 0 && exact.startsWith("+") ? "+\u2060" : "";
  return <span title={exact}>{sign + large}</span>;
}

/** Average or drawdown in whole rupees with mark, sign and colour; a dash if there is none. */
export function Gain({ value }: { value: number | null }) {
  if (value === null) return <>–</>;
  return (
    <span className={`inline-flex items-baseline gap-1.5 whitespace-nowrap ${tone(value)}`}>
      <Mark value={value} />
      <Amount value={value} format={signedWhole} />
    </span>
  );
}
