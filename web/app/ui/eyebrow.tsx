import type { ReactNode } from "react";

/** Short label above a heading. */
export function Eyebrow({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 font-semibold text-floor text-ink-2 tracking-[0.08em]">
      <span aria-hidden="true" className="h-0.5 w-6 bg-marigold" />
      {children}
    </p>
  );
}
