import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";

/** Props that connect a control to its field; spread them onto the control. */
type FieldControl = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

export type FieldProps = {
  label: string;
  /** Id of the control, for links of an error summary; generated if absent. */
  id?: string;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  /** Content right of the label, such as a link. */
  aside?: ReactNode;
  className?: string;
  children: (control: FieldControl) => ReactNode;
};

/**
 * Label, hint, error and control, in this order. The space above the label is reserved for the error: when it appears,
 * the label moves up and the control stays in place.
 */
export function Field({ label, id, hint, error, optional = false, aside, className, children }: FieldProps) {
  const generatedId = useId();
  const control = id ?? generatedId;
  const hintId = `${control}-hint`;
  const errorId = `${control}-error`;
  const describedBy = [hint ? hintId : "", error ? errorId : ""].filter(Boolean).join(" ");

  return (
    <div
      className={clsx("flex flex-col justify-end", hint ? "min-h-[8.125rem]" : "min-h-[6.75rem]", className)}
    >
      <div className="flex items-baseline justify-between gap-4 pb-1.5">
        <label htmlFor={control} className="font-semibold text-ui">
          {label}
          {optional && <span className="font-normal text-ink-3"> (optional)</span>}
        </label>
        {aside}
      </div>
      {hint && (
        <p id={hintId} className="-mt-1 pb-1.5 text-data text-ink-3">
          {hint}
        </p>
      )}
      {error && (
        <p id={errorId} className="-mt-1 flex gap-1.5 pb-1.5 font-semibold text-data text-loss">
          <CircleAlert size={15} strokeWidth={2.25} className="mt-[0.15em] shrink-0" aria-hidden />
          {error}
        </p>
      )}
      {children({
        id: control,
        "aria-describedby": describedBy || undefined,
        "aria-invalid": error ? true : undefined,
      })}
    </div>
  );
}
