import { type ReactNode, useId } from "react";

/** The name left of the margin rule, the words right of it. */
export function MarginSection({ title, children }: { title: string; children: ReactNode }) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className="grid md:grid-cols-[13rem_1fr]">
      <h2 id={heading} className="pt-10 text-h4 md:pr-6 md:pt-8">
        {title}
      </h2>
      <div className="border-rule pt-4 pb-2 md:border-l md:py-8 md:pl-10">{children}</div>
    </section>
  );
}
