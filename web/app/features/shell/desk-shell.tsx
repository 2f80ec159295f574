import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { DeskDrawer } from "#features/shell/desk-drawer.tsx";
import { USER_ITEMS } from "#features/shell/desk-items.ts";
import { DeskSidebar } from "#features/shell/desk-sidebar.tsx";
import { DeskTabs } from "#features/shell/desk-tabs.tsx";
import { Menu, MenuLink } from "#ui/menu.tsx";

export type DeskShellProps = {
  /** Its first letter is shown in the avatar. */
  userName: string;
  /** Title in the top bar. */
  title?: string;
  /** Path of the current sidebar item; undefined if the page has none. */
  current: string | undefined;
  /** Opens the list of keyboard shortcuts; without it the sidebar has no Shortcuts button. */
  onShortcuts?: () => void;
  /** Content left of the avatar. It may appear at any time without shifting anything. */
  aside?: ReactNode;
  children: ReactNode;
};

/** Frame of the pages for logged-in users: sidebar, top bar and content; below 900 px the sidebar is a drawer. */
export function DeskShell({
  userName,
  title = "Dashboard",
  current,
  onShortcuts,
  aside,
  children,
}: DeskShellProps) {
  return (
    <div className="flex min-h-dvh">
      <DeskSidebar current={current} {...(onShortcuts && { onShortcuts })} />
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-20 border-line border-b bg-bg" data-print="no">
          <div className="flex h-16 items-center gap-3 px-4 desk:px-8">
            <DeskDrawer current={current} {...(onShortcuts && { onShortcuts })} className="max-sm:hidden" />
            <p className="font-heading font-semibold text-[1.125rem] tracking-[-0.018em]">{title}</p>
            <div className="flex flex-1 items-center justify-end gap-3">
              {aside}
              <UserMenu name={userName} />
            </div>
          </div>
        </header>
        <main id="content" tabIndex={-1} className="flex-1 px-4 pt-7 pb-12 outline-none desk:px-8">
          {children}
        </main>
        <DeskTabs current={current} {...(onShortcuts && { onShortcuts })} />
      </div>
    </div>
  );
}

function UserMenu({ name }: { name: string }) {
  const initial = Array.from(name.trim())[0]?.toLocaleUpperCase("en-IN") ?? "T";
  return (
    <Menu
      className="-mr-2 h-12 px-2"
      trigger={
        <>
          {/* One expression, because React would put a space between two. */}
          <span className="sr-only">{`${name}, account`}</span>
          <span aria-hidden="true" className="max-w-48 truncate text-ink-2 text-ui max-sm:hidden">
            {name}
          </span>
          <span
            aria-hidden="true"
            className="flex size-9 items-center justify-center rounded-full bg-brand font-semibold text-on-brand text-ui"
          >
            {initial}
          </span>
          <ChevronDown size={16} className="text-ink-3" aria-hidden />
        </>
      }
    >
      {USER_ITEMS.map(({ to, label, Icon }) => (
        <MenuLink key={label} to={to} icon={<Icon size={18} className="text-ink-2" aria-hidden />}>
          {label}
        </MenuLink>
      ))}
    </Menu>
  );
}
