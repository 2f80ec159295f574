import clsx from "clsx";
import { Keyboard, type LucideIcon, PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { SITE } from "#content/site.ts";
import { ANALYTICS, DESK_ITEMS, deskPath, JOURNAL } from "#features/shell/desk-items.ts";
import { tabStorage } from "#lib/storage.ts";
import { Brand, LogoMark } from "#ui/logo.tsx";

const KEY = "sidebar";

export type DeskSidebarProps = { current: string | undefined; onShortcuts?: () => void };

/** Sidebar from 900 px on, wide or narrow; the choice is stored for the tab. */
export function DeskSidebar({ current, onShortcuts }: DeskSidebarProps) {
  const [narrow, setNarrow] = useState(false);
  useEffect(() => setNarrow(tabStorage.get(KEY) === "narrow"), []);

  function toggle() {
    tabStorage.set(KEY, narrow ? "wide" : "narrow");
    setNarrow(!narrow);
  }

  return (
    <nav
      aria-label="Dashboard"
      className={clsx(
        "sticky top-0 hidden h-dvh shrink-0 flex-col border-line border-r desk:flex",
        narrow ? "w-20" : "w-64",
      )}
    >
      <div className={clsx("flex h-16 items-center", narrow ? "justify-center" : "px-6")}>
        <Link to="/" aria-label={`${SITE.name}, home`} className="flex rounded-tag">
          {narrow ? <LogoMark /> : <Brand />}
        </Link>
      </div>
      <div className="flex-1 overflow-y-auto p-3">
        <DeskNavList current={current} narrow={narrow} />
      </div>
      <div className="space-y-1 p-3">
        {onShortcuts && (
          <SidebarButton
            narrow={narrow}
            label="Shortcuts"
            Icon={Keyboard}
            keyHint="?"
            onClick={onShortcuts}
          />
        )}
        <SidebarButton
          narrow={narrow}
          label={narrow ? "Expand sidebar" : "Collapse sidebar"}
          Icon={narrow ? PanelLeftOpen : PanelLeftClose}
          onClick={toggle}
        />
      </div>
    </nav>
  );
}

type SidebarButtonProps = {
  narrow?: boolean;
  label: string;
  Icon: LucideIcon;
  keyHint?: string;
  onClick: () => void;
};

export function SidebarButton({ narrow = false, label, Icon, keyHint, onClick }: SidebarButtonProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      aria-keyshortcuts={keyHint}
      aria-label={narrow ? label : undefined}
      title={narrow ? label : undefined}
      className={clsx(
        "flex h-11 w-full items-center gap-3 rounded-control font-medium text-ink-2 text-ui hover:bg-sunken hover:text-ink",
        narrow ? "justify-center" : "px-3",
      )}
    >
      <Icon size={19} aria-hidden />
      {!narrow && label}
      {!narrow && keyHint && (
        <span
          aria-hidden="true"
          className="ml-auto flex size-6 items-center justify-center rounded-tag border border-line font-sans text-floor"
        >
          {keyHint}
        </span>
      )}
    </button>
  );
}

type NavListProps = { current: string | undefined; narrow?: boolean; onPick?: () => void };

export function DeskNavList(list: NavListProps) {
  return (
    <>
      <ul className="space-y-1">
        {DESK_ITEMS.map(({ index, ...item }) => (
          <li key={index}>
            <NavItem {...list} to={deskPath(index)} {...item} />
          </li>
        ))}
      </ul>
      <div className="mt-3 border-line border-t pt-3">
        <NavItem {...list} {...ANALYTICS} />
        <NavItem {...list} {...JOURNAL} />
      </div>
    </>
  );
}

type NavItemProps = NavListProps & { to: string; label: string; Icon: LucideIcon };

function NavItem({ to, label, Icon, current, narrow = false, onPick }: NavItemProps) {
  return (
    <Link
      to={to}
      onClick={onPick}
      aria-current={current === to ? "page" : undefined}
      aria-label={narrow ? label : undefined}
      title={narrow ? label : undefined}
      className={clsx(
        "flex h-11 items-center gap-3 rounded-control text-ui",
        narrow ? "justify-center" : "px-3",
        current === to
          ? "bg-brand-soft font-semibold text-brand"
          : "font-medium text-ink-2 hover:bg-sunken hover:text-ink",
      )}
    >
      <Icon size={19} aria-hidden />
      {!narrow && label}
    </Link>
  );
}
