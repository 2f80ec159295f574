import { Menu as MenuIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Link, NavLink } from "react-router";
import { SITE } from "#content/site.ts";
import { PublicFooter } from "#features/shell/public-footer.tsx";
import { Brand } from "#ui/logo.tsx";
import { Menu, MenuLink } from "#ui/menu.tsx";

const PAGES = [
  { to: "/", label: "Home" },
  { to: "/careers", label: "Careers" },
  { to: "/about-us", label: "About Us" },
];

export type PublicShellProps = {
  /** The Login/Signup or Logout button. */
  account: ReactNode;
  children: ReactNode;
};

/** Frame of the public pages: header with navigation, content and footer. */
export function PublicShell({ account, children }: PublicShellProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-line border-b">
        <div className="page-width flex h-16 items-center justify-between gap-4">
          <Link to="/" aria-label={`${SITE.name}, home`} className="flex rounded-tag">
            <Brand />
          </Link>
          <div className="flex h-full items-center gap-1 sm:gap-8">
            <nav aria-label="Main" className="flex h-full gap-6 max-md:hidden">
              {PAGES.map(({ to, label }) => (
                <NavLink
                  key={to}
                  to={to}
                  // Prerendered pages have URLs that end with a slash.
                  end={to === "/"}
                  className="flex h-full items-center border-transparent border-y-2 px-1 font-medium text-ink-2 text-ui hover:text-ink aria-[current=page]:border-b-brand aria-[current=page]:font-semibold aria-[current=page]:text-ink"
                >
                  {label}
                </NavLink>
              ))}
            </nav>
            {account}
            <Menu
              label="Menu"
              trigger={<MenuIcon size={22} aria-hidden />}
              className="-mr-2.5 size-11 justify-center md:hidden"
            >
              {PAGES.map(({ to, label }) => (
                <MenuLink key={to} to={to}>
                  {label}
                </MenuLink>
              ))}
            </Menu>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
      <PublicFooter />
    </div>
  );
}
