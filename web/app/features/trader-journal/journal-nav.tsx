import clsx from "clsx";
import { Link } from "react-router";

const PAGES = [
  { to: "/journal", label: "Days" },
  { to: "/journal/review", label: "Review" },
  { to: "/journal/playbooks", label: "Playbooks" },
] as const;

export type JournalPageName = (typeof PAGES)[number]["label"];

/** Links between the pages of the journal. */
export function JournalNav({ current }: { current: JournalPageName | undefined }) {
  return (
    <nav aria-label="Journal" className="mt-2 flex gap-1 overflow-x-auto border-line border-b">
      {PAGES.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          aria-current={label === current ? "page" : undefined}
          className={clsx(
            "flex min-h-11 items-center border-b-2 px-3 text-ui",
            label === current
              ? "border-brand font-semibold text-ink"
              : "border-transparent text-ink-2 hover:text-ink",
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
