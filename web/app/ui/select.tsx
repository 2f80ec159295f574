import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { CONTROL } from "#ui/text-input.tsx";

export type Option = { value: string; label: string };

export type SelectProps = Omit<ComponentProps<"select">, "children"> & {
  options: readonly Option[];
  /** The first line, with an empty value: what to pick. Left out, the first option is chosen from the start. */
  placeholder?: string;
};

/** The platform's own select, which phones turn into a wheel or a sheet. */
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
