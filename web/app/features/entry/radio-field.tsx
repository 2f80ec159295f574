import type { ComponentProps } from "react";

export type RadioFieldProps = {
  /** Id of the first radio button, for the links of the error summary. */
  id: string;
  label: string;
  options: readonly string[];
  error?: string | undefined;
  /** Result of `register` of react-hook-form. */
  register: ComponentProps<"input">;
};

/** Field with a few radio buttons in one frame. */
export function RadioField({ id, label, options, error, register }: RadioFieldProps) {
  return (
    <fieldset className="min-w-0">
      {/* A legend cannot be laid out with flex, so the visible label is a separate element. */}
      <legend className="sr-only">{label}</legend>
      <div className="flex min-h-[6.75rem] flex-col justify-end">
        <span aria-hidden="true" className="pb-1.5 font-semibold text-ui">
          {label}
        </span>
        {error && <p className="-mt-1 pb-1.5 font-semibold text-data text-loss">{error}</p>}
        <div className="flex h-11 rounded-control border border-line-strong bg-surface p-[3px]">
          {options.map((option, index) => (
            <label
              key={option}
              className="relative flex flex-1 cursor-pointer items-center justify-center rounded-tag px-3 font-semibold text-data text-ink-2 hover:text-ink has-checked:bg-brand-soft has-checked:text-brand has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-1"
            >
              <input
                {...register}
                {...(index === 0 && { id })}
                type="radio"
                value={option}
                className="sr-only"
              />
              {option}
            </label>
          ))}
        </div>
      </div>
    </fieldset>
  );
}
