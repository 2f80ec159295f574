import clsx from "clsx";
import { useId } from "react";
import type { LogView } from "#features/trades/log-view.ts";

const CHOICES = [
  { value: "", label: "All" },
  { value: "buy", label: "BUY" },
  { value: "sell", label: "SELL" },
] as const;

export type SideSwitchProps = { value: LogView["side"]; onChange: (side: LogView["side"]) => void };

/** Filter by side: all, BUY or SELL. */
export function SideSwitch({ value, onChange }: SideSwitchProps) {
  const name = useId();
  return (
    <fieldset className="inline-flex h-11 rounded-control border border-line-strong bg-surface p-[3px] sm:h-10">
      <legend className="sr-only">Side</legend>
      {CHOICES.map((choice) => (
        <label
          key={choice.label}
          className={clsx(
            "relative flex flex-1 cursor-pointer items-center justify-center rounded-tag px-3 font-semibold text-data",
            "has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-1",
            value === choice.value ? "bg-brand-soft text-brand" : "text-ink-2 hover:text-ink",
          )}
        >
          <input
            type="radio"
            name={name}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
            className="sr-only"
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
