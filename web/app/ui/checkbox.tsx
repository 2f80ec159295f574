import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";

/** Checkbox with its label. */
export function Checkbox({
  children,
  className,
  ...input
}: ComponentProps<"input"> & { children: ReactNode }) {
  return (
    <label className={clsx("flex min-h-11 cursor-pointer items-start gap-3 py-2.5 text-ui", className)}>
      <input {...input} type="checkbox" className="mt-0.5 size-5 shrink-0 accent-brand" />
      <span>{children}</span>
    </label>
  );
}
