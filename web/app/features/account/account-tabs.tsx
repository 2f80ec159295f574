import { Link } from "react-router";

const ACCOUNT_TABS = [
  { tab: "profile", label: "Profile" },
  { tab: "security", label: "Settings" },
  { tab: "data", label: "Data" },
] as const;

export type AccountTab = (typeof ACCOUNT_TABS)[number]["tab"];

export function parseTab(params: URLSearchParams): AccountTab {
  return ACCOUNT_TABS.find(({ tab }) => tab === params.get("tab"))?.tab ?? "profile";
}

/** Links instead of a tab widget: each tab has its own URL, and Back works. */
export function AccountTabs({ current }: { current: AccountTab }) {
  return (
    <nav aria-label="Account" className="mt-5 mb-8 border-line border-b">
      <ul className="flex flex-wrap gap-x-6">
        {ACCOUNT_TABS.map(({ tab, label }) => (
          <li key={tab}>
            <Link
              to={`/account?tab=${tab}`}
              preventScrollReset
              aria-current={tab === current ? "page" : undefined}
              className="-mb-px flex h-11 items-center border-transparent border-b-2 font-medium text-ink-2 text-ui hover:text-ink aria-[current=page]:border-brand aria-[current=page]:font-semibold aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
