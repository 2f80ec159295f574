import clsx from "clsx";

type Side = "buy" | "sell" | "long" | "short";

/** Label of the side of a trade or position. BUY and LONG are filled, the others are outlined: they differ without colour. */
export function SidePill({ side }: { side: Side }) {
  return (
    <span
      className={clsx(
        "inline-flex h-6 min-w-13 shrink-0 items-center justify-center rounded-tag px-1.5 font-semibold text-floor tracking-wide",
        side === "buy" || side === "long" ? "bg-gain-soft text-gain" : "border-[1.5px] border-loss text-loss",
      )}
    >
      {side.toUpperCase()}
    </span>
  );
}
