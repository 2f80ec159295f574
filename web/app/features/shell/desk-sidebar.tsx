import clsx from "clsx";
import { Keyboard, type LucideIcon, PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useLocation } from "react-router";
import { SITE } from "#content/site.ts";
import { ANALYTICS_ITEMS, DESK_ITEMS, deskPath, JOURNAL } from "#features/shell/desk-items.ts";
import { useOpenIssues } from "#features/shell/use-open-issues.ts";
import { FIX_PATH, withFilters } from "#lib/analytics-paths.ts";
import { count } from "#lib/format.ts";
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
  const openIssues = useOpenIssues();
  return (
    <>
      <ul className="space-y-1">
        {DESK_ITEMS.map(({ index, ...item }) => (
          <li key={index}>
            <NavItem {...list} to={deskPath(index)} {...item} />
          </li>
        ))}
      </ul>
      <ul className="mt-3 space-y-1 border-line border-t pt-3">
        {[...ANALYTICS_ITEMS.filter(({ Icon }) => Icon || !list.narrow), JOURNAL].map((item) => (
          <li key={item.to}>
            <NavItem {...list} {...item} {...(item.to === FIX_PATH && { open: openIssues })} />
          </li>
        ))}
      </ul>
    </>
  );
}

type NavItemProps = NavListProps & {
  to: string;
  label: string;
  /** Without it the label is indented, below an item with one. */
  Icon?: LucideIcon | undefined;
  /** Number of things that wait for the trader there. */
  open?: number | undefined;
};

function NavItem({ to, label, Icon, open = 0, current, narrow = false, onPick }: NavItemProps) {
  const { pathname, search } = useLocation();
  // The pages of the analytics share their filters.
  const isFiltered = pathname.startsWith("/analytics") && to.startsWith("/analytics");
  return (
    <Link
      to={isFiltered ? withFilters(to, search) : to}
      onClick={onPick}
      aria-current={current === to ? "page" : undefined}
      aria-label={narrow ? label : undefined}
      title={narrow ? label : undefined}
      className={clsx(
        "flex items-center gap-3 rounded-control text-ui",
        Icon ? "h-11" : "h-11 sm:h-9",
        narrow ? "justify-center" : "px-3",
        current === to
          ? "bg-brand-soft font-semibold text-brand"
          : "font-medium text-ink-2 hover:bg-sunken hover:text-ink",
      )}
    >
      {Icon ? <Icon size={19} aria-hidden /> : <span className="w-[19px]" />}
      {!narrow && label}
      {!narrow && open > 0 && (
        <span className="figures ml-auto rounded-full bg-sunken px-2 font-medium text-floor text-ink-2">
          {count(open)}
          <span className="sr-only"> open</span>
        </span>
      )}
    </Link>
  );
}
