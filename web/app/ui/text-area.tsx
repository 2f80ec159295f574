import clsx from "clsx";
import type { ComponentProps } from "react";
import { CONTROL } from "#ui/text-input.tsx";

/** Text area that grows with its content if the browser supports it. */
export function TextArea({ className, rows = 2, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      {...rest}
      rows={rows}
      className={clsx(CONTROL, "field-sizing-content block h-auto min-h-18 resize-y py-2.5", className)}
    />
  );
}
