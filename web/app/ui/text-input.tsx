import clsx from "clsx";
import { type ComponentProps, useState } from "react";

/** Shared classes of inputs and selects. */
export const CONTROL =
  "h-11 w-full rounded-control border border-line-strong bg-surface px-3 text-base text-ink " +
  "transition-colors duration-120 ease-out hover:border-ink-3 " +
  "aria-invalid:border-2 aria-invalid:border-loss aria-invalid:px-[11px]";

/** Input; takes the props of `Field` and of react-hook-form's `register`. */
export function TextInput({ className, type = "text", ...rest }: ComponentProps<"input">) {
  return (
    <input
      // Without a maximum the year field takes six digits.
      max={type === "datetime-local" ? "9999-12-31T23:59:59" : undefined}
      {...rest}
      type={type}
      // Scrolling over a focused number field would change its value.
      onWheel={type === "number" ? (event) => event.currentTarget.blur() : undefined}
      className={clsx(CONTROL, type === "number" && "figures", className)}
    />
  );
}

/** Password field with a Show button; pasting and password managers work. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <input
        {...rest}
        type={shown ? "text" : "password"}
        autoCapitalize="none"
        spellCheck={false}
        className={clsx(CONTROL, "pr-20", className)}
      />
      <button
        type="button"
        aria-pressed={shown}
        aria-label="Show password"
        aria-controls={rest.id}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 right-1 rounded-tag px-3 font-semibold text-data text-ink-2 hover:bg-sunken hover:text-ink"
      >
        {shown ? "Hide" : "Show"}
      </button>
    </div>
  );
}
