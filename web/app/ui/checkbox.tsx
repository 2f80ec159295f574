import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";

/** Border of an unticked box; the grey box that browsers draw in dark mode looks disabled. */
const UNTICKED =
  "not-checked:appearance-none not-checked:rounded-[3px] not-checked:border not-checked:border-line-strong not-checked:bg-surface not-checked:hover:border-ink-3 not-checked:disabled:opacity-50";

/** Checkbox with its label. */
export function Checkbox({
  children,
  className,
  ...input
}: ComponentProps<"input"> & { children: ReactNode }) {
  return (
    <label className={clsx("flex min-h-11 cursor-pointer items-start gap-3 py-2.5 text-ui", className)}>
      <input {...input} type="checkbox" className={clsx("mt-0.5 size-5 shrink-0 accent-brand", UNTICKED)} />
      <span>{children}</span>
    </label>
  );
}
