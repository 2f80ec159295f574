import { inrPaise } from "#lib/format.ts";

/** With paise always, so that the points stand under each other; the ₹ steps back behind the figure. */
export function Price({ value }: { value: number }) {
  return (
    <span className="figures whitespace-nowrap">
      <span className="text-ink-3">₹</span>
      {inrPaise(value).replace("₹", "")}
    </span>
  );
}
