import type { ReactNode } from "react";

/** A few questions that belong together: their name stands in the margin, above them where there is none. */
export function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <fieldset className="relative min-w-0 border-rule border-l pb-4 pl-4 sm:-ml-8 sm:pl-8">
      {/* A legend takes no part in the layout: what is seen stands beside it. */}
      <legend className="sr-only">{name}</legend>
      <p
        aria-hidden="true"
        className="font-heading font-semibold text-h4 tracking-[-0.018em] max-lg:pt-8 lg:absolute lg:top-9 lg:right-full lg:mr-6 lg:w-40 lg:text-right"
      >
        {name}
      </p>
      {children}
    </fieldset>
  );
}
