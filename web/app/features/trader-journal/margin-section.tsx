import type { ReactNode } from "react";

type MarginSectionProps = { title: string; hint?: ReactNode; children: ReactNode; aside?: ReactNode };

/** Section beside the margin rule: its title left of the rule, its content right of it. */
export function MarginSection({ title, hint, children, aside }: MarginSectionProps) {
  return (
    <section aria-label={title} className="border-line border-b md:grid md:grid-cols-[7rem_1fr]">
      <div className="pt-4 md:pr-3">
        <h2 className="text-ui">{title}</h2>
        {hint && <div className="mt-1 text-data text-ink-3">{hint}</div>}
      </div>
      <div className="min-w-0 py-4 md:border-rule md:border-l md:pl-5">
        <div className={aside ? "gap-8 lg:grid lg:grid-cols-[1fr_17rem]" : undefined}>
          <div className="min-w-0">{children}</div>
          {aside && <div className="mt-4 min-w-0 lg:mt-0">{aside}</div>}
        </div>
      </div>
    </section>
  );
}

/** Field of a section: label above its control. */
export function LabelledGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="mb-4 last:mb-0">
      <p className="mb-2 text-data text-ink-2">{label}</p>
      {children}
    </div>
  );
}
