import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { SITE } from "#content/site.ts";
import { loadOnInteraction } from "#lib/load-on-interaction.ts";
import { ThemeSwitch } from "#ui/theme-switch.tsx";

const PublicContact = lazy(
  loadOnInteraction(async () => ({
    default: (await import("#features/shell/public-contact.tsx")).PublicContact,
  })),
);

const PAGES = [
  { label: "Trading Journal", to: "/trading-journal" },
  { label: "Privacy Policy", to: "/terms-and-conditions" },
  { label: "Terms of Service", to: "/terms-and-conditions" },
];

export function PublicFooter() {
  return (
    <footer className="border-line border-t">
      <div className="page-width pt-14 pb-10">
        <Suspense>
          <PublicContact />
        </Suspense>
        <div className="mt-12 flex flex-wrap items-center gap-x-8 gap-y-4 border-line border-t pt-6">
          <p className="text-data text-ink-2">{SITE.copyright}</p>
          <ul className="flex flex-wrap gap-x-6 md:mr-auto">
            {PAGES.map(({ label, to }) => (
              <li key={label}>
                <Link
                  to={to}
                  className="flex h-11 items-center text-data text-ink-2 hover:text-ink hover:underline"
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
          <ThemeSwitch />
        </div>
      </div>
    </footer>
  );
}
