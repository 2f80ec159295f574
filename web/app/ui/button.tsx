import clsx from "clsx";
import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Link } from "react-router";
import { Spinner } from "#ui/spinner.tsx";

type ButtonStyle = {
  /** Use one primary button per view. */
  variant?: "primary" | "secondary" | "quiet" | "danger";
  /** `sm` is 40 px high, for headers, panels and rows. */
  size?: "md" | "sm";
  icon?: ReactNode;
  iconEnd?: ReactNode;
};

const VARIANTS = {
  primary: "bg-brand text-on-brand hover:bg-brand-hover",
  secondary: "border border-line-strong bg-surface text-ink hover:border-brand hover:text-brand",
  quiet: "text-ink-2 hover:bg-sunken hover:text-ink",
  danger: "border border-loss bg-surface text-loss hover:bg-loss-soft",
};

function buttonClass({ variant = "primary", size = "md" }: ButtonStyle, className: string | undefined) {
  return clsx(
    "relative inline-flex items-center justify-center gap-2 rounded-control font-semibold text-ui whitespace-nowrap select-none",
    "transition-colors duration-120 ease-out",
    size === "md" ? "h-11 px-5" : "h-10 px-4",
    VARIANTS[variant],
    className,
  );
}

export type ButtonProps = ComponentProps<"button"> &
  ButtonStyle & {
    /** True while a request is sent: clicks are ignored, and a spinner appears after 300 ms. */
    pending?: boolean;
  };

export function Button({
  variant,
  size,
  icon,
  iconEnd,
  pending = false,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  function press(event: MouseEvent<HTMLButtonElement>) {
    if (pending) {
      event.preventDefault();
      return;
    }
    onClick?.(event);
  }
  return (
    <button
      type="button"
      {...rest}
      onClick={press}
      aria-disabled={pending || undefined}
      className={buttonClass({ ...(variant && { variant }), ...(size && { size }) }, className)}
    >
      {pending ? <PendingSpinner inFlow={icon !== undefined} /> : icon}
      {children}
      {iconEnd}
    </button>
  );
}

/** Spinner in place of the icon, or in the padding, so that the label does not move. */
function PendingSpinner({ inFlow }: { inFlow: boolean }) {
  if (inFlow) return <Spinner />;
  return (
    <span className="absolute inset-y-0 left-1 flex items-center">
      <Spinner size={12} />
    </span>
  );
}

export type ButtonLinkProps = ComponentProps<typeof Link> & ButtonStyle;

/** Link that looks like a button. */
export function ButtonLink({ variant, size, icon, iconEnd, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link
      {...rest}
      className={buttonClass({ ...(variant && { variant }), ...(size && { size }) }, className)}
    >
      {icon}
      {children}
      {iconEnd}
    </Link>
  );
}

/** Square button with only an icon; `label` is its accessible name. */
export function IconButton({
  label,
  className,
  children,
  ...rest
}: ComponentProps<"button"> & { label: string }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={clsx(
        "inline-flex size-11 shrink-0 items-center justify-center rounded-control text-ink-2",
        "transition-colors duration-120 ease-out hover:bg-sunken hover:text-ink",
        className,
      )}
    >
      {children}
    </button>
  );
}
