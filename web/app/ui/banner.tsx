import clsx from "clsx";
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { IconButton } from "#ui/button.tsx";

const TONES = {
  info: { ground: "bg-brand-soft", mark: "text-brand", Icon: Info },
  gain: { ground: "bg-gain-soft", mark: "text-gain", Icon: CircleCheck },
  warn: { ground: "bg-warn-soft", mark: "text-warn", Icon: TriangleAlert },
  loss: { ground: "bg-loss-soft", mark: "text-loss", Icon: CircleAlert },
};

export type BannerProps = {
  tone?: keyof typeof TONES;
  /** The main message, in bold. */
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  onDismiss?: () => void;
  /** `alert` for errors, `status` for other messages; omitted for static content. */
  role?: "alert" | "status";
  /** Makes the banner focusable by script. */
  ref?: Ref<HTMLDivElement>;
  className?: string;
};

/** Important message. It stays until it is dismissed. */
export function Banner({
  tone = "info",
  title,
  children,
  actions,
  onDismiss,
  role,
  ref,
  className,
}: BannerProps) {
  const { ground, mark, Icon } = TONES[tone];
  return (
    <div
      ref={ref}
      tabIndex={ref ? -1 : undefined}
      role={role}
      className={clsx("flex gap-x-4 rounded-panel px-5 py-3", ground, className)}
    >
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-72 gap-3 text-ui">
          <Icon size={20} className={clsx("mt-px shrink-0", mark)} aria-hidden />
          <div className="min-w-0">
            <strong className="font-semibold">{title}</strong>
            {children && <div className="text-ink-2">{children}</div>}
          </div>
        </div>
        {actions && <div className="flex items-center gap-2 max-sm:w-full">{actions}</div>}
      </div>
      {onDismiss && (
        <IconButton label="Dismiss" onClick={onDismiss} className="-my-2.75 -mr-2.5">
          <X size={18} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
