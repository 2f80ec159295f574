import clsx from "clsx";
import { type ReactNode, type ToggleEvent, useId, useRef } from "react";
import { Link } from "react-router";

export type MenuProps = {
  /** The accessible name of the button, where the trigger has no words of its own. */
  label?: string;
  /** What the button shows. */
  trigger: ReactNode;
  /** `MenuLink`s and `MenuButton`s. */
  children: ReactNode;
  className?: string;
};

/** A button that opens a short list of links. The platform closes it by Esc and by a press elsewhere. */
export function Menu({ label, trigger, children, className }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);

  // A popover lies in the top layer, out of its parent's reach: it is put under the button when it opens.
  function place(event: ToggleEvent<HTMLDivElement>) {
    const at = button.current?.getBoundingClientRect();
    if (event.newState !== "open" || !at) return;
    const style = event.currentTarget.style;
    style.top = `${at.bottom + 6}px`;
    style.right = `${document.documentElement.clientWidth - at.right}px`;
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

/** One that does something here; the list closes with the press. */
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

export function MenuLink({ to, icon, children }: { to: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Link
        to={to}
        // A link to the page that is open already takes nothing away, the menu neither.
        onClick={(event) => event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover()}
        className="flex h-11 items-center gap-3 rounded-tag px-3 font-medium text-ui hover:bg-sunken"
      >
        {icon}
        {children}
      </Link>
    </li>
  );
}
