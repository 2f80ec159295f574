import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import { useId } from "react";

export type ChoiceFilterProps<T extends string> = {
  label: string;
  value: T | "";
  options: readonly { value: T; label: string }[];
  onChange: (value: T | "") => void;
  /** Without the option "All". */
  required?: boolean;
};

/** Filter with label and selection in one frame: "Broker All". With a selection the label is hidden on wide screens. */
export function ChoiceFilter<T extends string>({
  label,
  value,
  options,
  onChange,
  required = false,
}: ChoiceFilterProps<T>) {
  const id = useId();
  const set = value !== "" && !required;
  return (
    <div
      className={clsx(
        "relative flex h-10 items-center rounded-control border text-ui transition-colors duration-120 ease-out",
        "has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-2",
        set ? "border-brand bg-brand-soft text-brand" : "border-line-strong bg-surface hover:border-ink-3",
      )}
    >
      <label htmlFor={id} className={clsx("pl-3", set ? "min-[72rem]:sr-only" : "text-ink-2")}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) =>
          onChange(options.find((option) => option.value === event.currentTarget.value)?.value ?? "")
        }
        className={clsx(
          "field-sizing-content h-full cursor-pointer appearance-none bg-transparent pr-8 pl-2 font-semibold outline-none [&>option]:bg-surface [&>option]:text-ink",
          set && "min-[72rem]:pl-3",
        )}
      >
        {!required && <option value="">All</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown size={16} aria-hidden className="pointer-events-none absolute right-2.5" />
    </div>
  );
}
