import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";

/** What a control needs to belong to its field; spread it onto the control. */
export type FieldControl = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
};

export type FieldProps = {
  label: string;
  /** The id of the control, so that an error summary can link to it; made up when absent. */
  id?: string;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  /** Stands to the right of the label, such as a link. */
  aside?: ReactNode;
  className?: string;
  children: (control: FieldControl) => ReactNode;
};

/**
 * Label, hint, error, control, in this order. The room above the label is the error's line: when an error
 * comes the label moves up into it, and the control stays where it is.
 */
export function Field({ label, id, hint, error, optional = false, aside, className, children }: FieldProps) {
  const made = useId();
  const control = id ?? made;
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
