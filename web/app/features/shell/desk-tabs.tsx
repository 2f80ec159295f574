import clsx from "clsx";
import { ChartLine, Ellipsis, List, type LucideIcon, Plus } from "lucide-react";
import { Link, useLocation } from "react-router";
import { DeskDrawer } from "#features/shell/desk-drawer.tsx";
import { deskPath } from "#features/shell/desk-items.ts";
import type { DeskSidebarProps } from "#features/shell/desk-sidebar.tsx";
import { TRADES_PATH, withFilters } from "#lib/analytics-paths.ts";

const ITEM = "flex h-full w-full flex-col items-center justify-center gap-0.5 text-floor";

/** Bar at the bottom of a phone with the pages used most; the others are in the drawer behind More. */
export function DeskTabs({ current, onShortcuts }: DeskSidebarProps) {
  return (
    <nav
      aria-label="Pages"
      data-print="no"
      className="sticky bottom-0 z-20 grid h-16 grid-cols-4 border-line border-t bg-bg sm:hidden"
    >
      <Tab to="/analytics" label="Overview" Icon={ChartLine} current={current} />
      <Tab to={TRADES_PATH} label="Trades" Icon={List} current={current} />
      <Link to={deskPath(0)} className={clsx(ITEM, "font-medium text-ink-2")}>
        <span className="flex size-8 items-center justify-center rounded-full bg-brand text-on-brand">
          <Plus size={20} aria-hidden />
        </span>
        Add
      </Link>
      <DeskDrawer
        current={current}
        {...(onShortcuts && { onShortcuts })}
        trigger={(open) => (
          <button
            type="button"
            aria-label="More, open menu"
            aria-haspopup="dialog"
            onClick={open}
            className={clsx(ITEM, "font-medium text-ink-2")}
          >
            <Ellipsis size={20} aria-hidden />
            More
          </button>
        )}
      />
    </nav>
  );
}

type TabProps = { to: string; label: string; Icon: LucideIcon; current: string | undefined };

function Tab({ to, label, Icon, current }: TabProps) {
  const { pathname, search } = useLocation();
  const isCurrent = current === to;
  return (
    <Link
      to={pathname.startsWith("/analytics") ? withFilters(to, search) : to}
      aria-current={isCurrent ? "page" : undefined}
      className={clsx(ITEM, isCurrent ? "font-semibold text-brand" : "font-medium text-ink-2")}
    >
      <Icon size={20} aria-hidden />
      {label}
    </Link>
  );
}
