import type { ReactNode } from "react";

export type FactListProps = { name: string; facts: readonly (readonly [name: string, value: ReactNode])[] };

/** List of names and values; the names are left of the margin rule. */
export function FactList({ name, facts }: FactListProps) {
  return (
    <section aria-label={name} className="mt-6 overflow-hidden rounded-panel border border-line bg-surface">
      <dl className="text-ui">
        {facts.map(([term, value]) => (
          <div
            key={term}
            className="grid grid-cols-[6.75rem_minmax(0,1fr)] sm:grid-cols-[8.5rem_minmax(0,1fr)] border-line border-t first:border-t-0"
          >
            <dt className="border-rule border-r px-3 py-3 text-data sm:px-4 text-ink-2">{term}</dt>
            <dd className="max-sm:px-3 px-4 py-3 font-medium [overflow-wrap:anywhere] whitespace-pre-line">
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
