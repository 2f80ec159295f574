import clsx from "clsx";
import { type ReactNode, type ToggleEvent, useId, useRef } from "react";
import { Link } from "react-router";

export type MenuProps = {
  /** Accessible name of the button, if the trigger has no text. */
  label?: string;
  /** Content of the button. */
  trigger: ReactNode;
  /** `MenuLink`s and `MenuButton`s. */
  children: ReactNode;
  className?: string;
};

/** Button that opens a menu. It is a popover, so the browser closes it on Esc and on a click outside. */
export function Menu({ label, trigger, children, className }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);

  // A popover is in the top layer and cannot be positioned by its parent, so it is placed below the button.
  function place(event: ToggleEvent<HTMLDivElement>) {
    const rect = button.current?.getBoundingClientRect();
    if (event.newState !== "open" || !rect) return;
    const style = event.currentTarget.style;
    style.top = `${rect.bottom + 6}px`;
    style.right = `${document.documentElement.clientWidth - rect.right}px`;
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-label={label}
        className={clsx("flex items-center gap-2 rounded-control hover:bg-sunken", className)}
      >
        {trigger}
      </button>
      <div
        id={id}
        popover="auto"
        onBeforeToggle={place}
        className="fixed inset-auto min-w-48 rounded-panel border border-line bg-surface p-1.5 text-ink shadow-lift"
      >
        <ul>{children}</ul>
      </div>
    </>
  );
}

/** Menu item that runs an action and closes the menu. */
export function MenuButton({ onPress, children }: { onPress: () => void; children: ReactNode }) {
  return (
    <li>
      <button
        type="button"
        onClick={(event) => {
          event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
          onPress();
        }}
        className="flex h-11 w-full items-center gap-3 rounded-tag px-3 font-medium text-ui hover:bg-sunken"
      >
        {children}
      </button>
    </li>
  );
}

/** Menu item that opens a page. */
export function MenuLink({ to, icon, children }: { to: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Link
        to={to}
        // A link to the current page does not remove the menu, so close it here.
        onClick={(event) => event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover()}
        className="flex h-11 items-center gap-3 rounded-tag px-3 font-medium text-ui hover:bg-sunken"
      >
        {icon}
        {children}
      </Link>
    </li>
  );
}
