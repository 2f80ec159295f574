import { lazy, type ReactNode, Suspense } from "react";
import { isRouteErrorResponse, Links, Meta, Outlet, Scripts } from "react-router";
import type { Route } from "./+types/root.ts";
import "./app.css";
import anekLatin from "#assets/fonts/anek-latin.woff2";
import geist from "#assets/fonts/geist.woff2";
import { SITE } from "#content/site.ts";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { useRouteFocus } from "#lib/heading-focus.ts";
import { useNotices } from "#lib/notices.ts";
import { THEME_SCRIPT } from "#lib/theme.ts";
import { HTML_POLICY_SCRIPT } from "#lib/trusted-types.ts";
import { NotFound } from "#ui/not-found.tsx";

// Loaded with the first notice; most visits have none.
const Notices = lazy(async () => ({ default: (await import("#features/notices/notices.tsx")).Notices }));

export const links: Route.LinksFunction = () => [
  ...[geist, anekLatin].map((href) => ({
    rel: "preload",
    href,
    as: "font",
    type: "font/woff2",
    crossOrigin: "anonymous" as const,
  })),
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/icons/apple-touch-icon.png" },
  { rel: "manifest", href: "/site.webmanifest" },
];

export function Layout({ children }: { children: ReactNode }) {
  return (
    // The theme script changes this element before hydration.
    <html lang="en-IN" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fbfaf7" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#0c0f17" />
        {/* Only the prerendered page needs the text, so it is left out of the bundle. */}
        <script suppressHydrationWarning>
          {import.meta.env.SSR ? THEME_SCRIPT + HTML_POLICY_SCRIPT : ""}
        </script>
        <Meta />
        <Links />
      </head>
      <body>
        <a
          href="#content"
          className="absolute top-2 left-2 z-50 -translate-y-20 rounded-control bg-brand px-4 py-2.5 font-semibold text-on-brand focus:translate-y-0"
        >
          Skip to content
        </a>
        {children}
        <Scripts />
      </body>
    </html>
  );
}

export default function App() {
  useRouteFocus();
  const { notice, question } = useNotices();
  return (
    <>
      {(notice || question) && (
        <Suspense>
          <Notices />
        </Suspense>
      )}
      <Outlet />
    </>
  );
}

/** Content of the fallback page, which the server sends with status 404 for unknown URLs. */
export function HydrateFallback() {
  return (
    <FocusShell>
      <title>{`Page Not Found · ${SITE.name}`}</title>
      <meta name="robots" content="noindex" />
      <NotFound />
      {/* Only in the prerendered page: without a script it cannot tell which page was requested. */}
      <noscript>
        {import.meta.env.SSR && (
          <p className="mt-6 text-ink-2">
            If you were looking for a job opening, it may be closed.{" "}
            <a href="/careers" className="link">
              See all openings
            </a>
          </p>
        )}
      </noscript>
    </FocusShell>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 404) return <HydrateFallback />;
  return (
    <FocusShell>
      <PageFailure />
    </FocusShell>
  );
}
