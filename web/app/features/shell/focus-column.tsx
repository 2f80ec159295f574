import type { ReactNode } from "react";

/** Narrow column for the content of a page with one task. */
export function FocusColumn({ children }: { children: ReactNode }) {
  return (
    <div className="px-4 py-12 md:py-16">
      <div className="mx-auto w-full max-w-[36rem]">{children}</div>
    </div>
  );
}
