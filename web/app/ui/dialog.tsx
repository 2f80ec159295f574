import clsx from "clsx";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

export type DialogProps = {
  open: boolean;
  /** Called by Esc and by a press beside the dialog; set `open` to false in it. */
  onClose: () => void;
  title: string;
  children?: ReactNode;
  /** Buttons, the safe one first and marked with `data-autofocus`: it takes the focus. */
  actions: ReactNode;
  /** Runs after the platform gave the focus back to where it was. */
  onClosed?: () => void;
  /** At the right edge and as high as the window; on a phone all of it. */
  side?: boolean;
  className?: string;
};

/** The platform's modal: the rest is inert, Esc closes it, the focus returns. Named by its heading. */
export function Dialog({
  open,
  onClose,
  title,
  children,
  actions,
  onClosed,
  side = false,
  className,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const pressedBeside = useRef(false);
  const closed = useRef(onClosed);
  closed.current = onClosed;

  // A layout effect: its clean-up still finds the element, so the focus returns when the parent drops us, too.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!open || !element) return;
    element.showModal();
    element.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      element.close();
      closed.current?.();
    };
  }, [open]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key for it is Esc, which the platform turns into `cancel`
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Text that is marked past the edge ends with a click on the dialog, too.
      onPointerDown={(event) => {
        pressedBeside.current = event.target === event.currentTarget;
      }}
      onClick={(event) => {
        if (pressedBeside.current && event.target === event.currentTarget) onClose();
      }}
      className={clsx(
        "border-line bg-surface text-ink shadow-lift",
        side
          ? "my-0 mr-0 ml-auto h-dvh max-h-none w-full max-w-full border-l sm:max-w-lg"
          : "m-auto w-[calc(100%-2rem)] max-w-md rounded-panel border",
        "transition-opacity duration-200 ease-out starting:open:opacity-0",
        className,
      )}
    >
      {open && (
        <div className={clsx("px-6 pt-6", side && "flex min-h-full flex-col")}>
          <h2 id={heading} className="text-h3">
            {title}
          </h2>
          <div className={clsx("mt-2 space-y-2 text-ink-2", side && "flex-1")}>{children}</div>
          <div className="sticky bottom-0 mt-2 flex flex-wrap justify-end gap-3 bg-surface pt-4 pb-6">
            {actions}
          </div>
        </div>
      )}
    </dialog>
  );
}
