import type { ReactNode } from "react";
import { Link } from "react-router";
import { SITE } from "#content/site.ts";
import { Brand } from "#ui/logo.tsx";
import { ThemeSwitch } from "#ui/theme-switch.tsx";

/** Frame for a visitor with a read-only token: no sidebar, because the other pages are not accessible. */
export function ReadOnlyShell({ aside, children }: { aside: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="sticky top-0 z-20 border-line border-b bg-bg" data-print="no">
        <div className="page-width flex h-16 items-center justify-between gap-4">
          <Link to="/" aria-label={`${SITE.name}, home`} className="flex shrink-0 rounded-tag">
            <Brand />
          </Link>
          <div className="min-w-0 text-right text-data text-ink-2">{aside}</div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="page-width flex-1 pt-7 pb-12 outline-none">
        {children}
      </main>
      <footer className="border-line border-t" data-print="no">
        <div className="page-width flex flex-wrap items-center justify-between gap-x-8 gap-y-3 py-4">
          <p className="text-data text-ink-2">{SITE.copyright}</p>
          <ThemeSwitch />
        </div>
      </footer>
    </div>
  );
}
