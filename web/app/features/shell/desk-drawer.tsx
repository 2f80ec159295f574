import { Keyboard, Menu as MenuIcon, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Link } from "react-router";
import { SITE } from "#content/site.ts";
import { USER_ITEMS } from "#features/shell/desk-items.ts";
import { DeskNavList, type DeskSidebarProps, SidebarButton } from "#features/shell/desk-sidebar.tsx";
import { IconButton } from "#ui/button.tsx";
import { Brand } from "#ui/logo.tsx";

export type DeskDrawerProps = DeskSidebarProps & {
  /** Renders the button that opens the drawer; by default an icon. */
  trigger?: (open: () => void) => ReactNode;
  className?: string;
};

/** Modal sidebar below 900 px, closed by Esc, by its button or by a press outside. */
export function DeskDrawer({ current, onShortcuts, trigger, className = "" }: DeskDrawerProps) {
  const drawer = useRef<HTMLDialogElement>(null);
  const close = () => drawer.current?.close();
  const open = () => drawer.current?.showModal();

  return (
    <div className={`desk:hidden ${className}`}>
      {trigger?.(open) ?? (
        <IconButton label="Open menu" aria-haspopup="dialog" onClick={open} className="-ml-2.5">
          <MenuIcon size={22} aria-hidden />
        </IconButton>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc is handled by the dialog element */}
      <dialog
        ref={drawer}
        aria-label={SITE.name}
        onClick={(event) => {
          if (event.target === event.currentTarget) close();
        }}
        className="m-0 h-dvh max-h-none w-72 max-w-[85vw] border-line border-r bg-bg text-ink shadow-lift transition-opacity duration-200 ease-out starting:open:opacity-0"
      >
        <div className="flex h-full flex-col">
          <div className="flex h-16 items-center justify-between border-line border-b pr-2 pl-5">
            <Brand />
            <IconButton label="Close menu" onClick={close}>
              <X size={20} aria-hidden />
            </IconButton>
          </div>
          <nav aria-label="Dashboard" className="p-3">
            <DeskNavList current={current} onPick={close} />
            <ul className="mt-3 space-y-1 border-line border-t pt-3">
              {USER_ITEMS.map(({ to, label, Icon }) => (
                <li key={label}>
                  <Link
                    to={to}
                    onClick={close}
                    className="flex h-11 items-center gap-3 rounded-control px-3 font-medium text-ink-2 text-ui hover:bg-sunken hover:text-ink"
                  >
                    <Icon size={19} aria-hidden />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {onShortcuts && (
            <div className="mt-auto p-3">
              <SidebarButton
                label="Shortcuts"
                Icon={Keyboard}
                keyHint="?"
                onClick={() => {
                  close();
                  onShortcuts();
                }}
              />
            </div>
          )}
        </div>
      </dialog>
    </div>
  );
}
