import { lazy, Suspense } from "react";
import { ExampleLedger } from "#features/landing/example-ledger.tsx";

// Built into the page; its script comes behind what the page needs first.
const Highlights = lazy(async () => ({
  default: (await import("#features/landing/highlights.tsx")).Highlights,
}));

/** Two pages and the stitched spine between them; on a narrow screen the spine lies across. */
export function OpenBook() {
  return (
    <div className="grid overflow-hidden rounded-panel border border-line bg-surface shadow-lift min-[72rem]:grid-cols-[minmax(0,1fr)_auto_20rem]">
      <ExampleLedger />
      <div
        aria-hidden="true"
        className="flex items-center justify-center border-line bg-sunken max-[72rem]:h-4 max-[72rem]:border-y min-[72rem]:w-4 min-[72rem]:border-x"
      >
        <span className="stitches" />
      </div>
      <Suspense>
        <Highlights />
      </Suspense>
    </div>
  );
}
