import type { ReactNode } from "react";
import { Link } from "react-router";
import { SITE } from "#content/site.ts";
import { FocusColumn } from "#features/shell/focus-column.tsx";
import { Brand } from "#ui/logo.tsx";
import { ThemeSwitch } from "#ui/theme-switch.tsx";

export type FocusShellProps = {
  /** A link or button at the right end of the header. */
  aside?: ReactNode;
  children: ReactNode;
};

/** Frame of pages with one task: login and status pages. */
export function FocusShell({ aside, children }: FocusShellProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-line border-b">
        <div className="page-width flex h-16 items-center justify-between gap-4">
          <Link to="/" aria-label={`${SITE.name}, home`} className="flex rounded-tag">
            <Brand />
          </Link>
          {aside}
        </div>
      </header>
      <main id="content" tabIndex={-1} className="flex-1 outline-none">
        <FocusColumn>{children}</FocusColumn>
      </main>
      <footer className="border-line border-t">
        <div className="page-width flex flex-wrap items-center justify-between gap-x-8 gap-y-3 py-4">
          <p className="text-data text-ink-2">{SITE.copyright}</p>
          <ThemeSwitch />
        </div>
      </footer>
    </div>
  );
}
