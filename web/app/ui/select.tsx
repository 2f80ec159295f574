import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { CONTROL } from "#ui/text-input.tsx";

type Option = { value: string; label: string };

export type SelectProps = Omit<ComponentProps<"select">, "children"> & {
  options: readonly Option[];
  /** First option, with an empty value. Without it the first of `options` is selected initially. */
  placeholder?: string;
};

/** Native select, for which phones show their own picker. */
export function Select({ options, placeholder, className, ...rest }: SelectProps) {
  return (
    <div className="relative">
      <select {...rest} className={clsx(CONTROL, "appearance-none pr-10", className)}>
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        size={18}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-2"
      />
    </div>
  );
}
