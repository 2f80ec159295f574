import clsx from "clsx";

/** Label of a trade side. BUY is filled and SELL is outlined, so that they differ without colour. */
export function SidePill({ side }: { side: "buy" | "sell" }) {
  return (
    <span
      className={clsx(
        "inline-flex h-6 w-13 shrink-0 items-center justify-center rounded-tag font-semibold text-floor tracking-wide",
        side === "buy" ? "bg-gain-soft text-gain" : "border-[1.5px] border-loss text-loss",
      )}
    >
      {side === "buy" ? "BUY" : "SELL"}
    </span>
  );
}
