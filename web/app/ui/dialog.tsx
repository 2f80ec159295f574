import clsx from "clsx";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

export type DialogProps = {
  open: boolean;
  /** Called on Esc and on a click outside; the caller sets `open` to false. */
  onClose: () => void;
  title: string;
  children?: ReactNode;
  /** Buttons; the safe one first, with `data-autofocus` to get the focus. */
  actions: ReactNode;
  /** Called after the focus has returned to the previous element. */
  onClosed?: () => void;
  /** Shows the dialog at the right edge over the full height; full screen on a phone. */
  side?: boolean;
  className?: string;
};

/** Modal dialog with the native `dialog` element, labelled by its heading. */
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
  const pressedOutside = useRef(false);
  const closed = useRef(onClosed);
  closed.current = onClosed;

  // A layout effect, whose cleanup still finds the element when the parent unmounts it, so that the focus returns.
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc triggers the cancel event
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Selecting text beyond the edge also ends with a click on the dialog element.
      onPointerDown={(event) => {
        pressedOutside.current = event.target === event.currentTarget;
      }}
      onClick={(event) => {
        if (pressedOutside.current && event.target === event.currentTarget) onClose();
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
