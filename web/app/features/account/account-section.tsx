import { type ReactNode, useId } from "react";

export type AccountSectionProps = { title: string; text?: ReactNode; children: ReactNode };

/** One thing of the account: what it is at the left, what there is to do at the right, below each other on a phone. */
export function AccountSection({ title, text, children }: AccountSectionProps) {
  const heading = useId();
  return (
    <section
      aria-labelledby={heading}
      className="grid gap-x-12 gap-y-5 border-line border-t py-8 first:border-t-0 first:pt-0 lg:grid-cols-[17rem_minmax(0,36rem)]"
    >
      <div>
        <h2 id={heading} className="text-h4">
          {title}
        </h2>
        {text && <p className="mt-2 text-ink-2 text-ui">{text}</p>}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
