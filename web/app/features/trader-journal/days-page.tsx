import clsx from "clsx";
import { Check, ChevronLeft, ChevronRight } from "lucide-react";
import { Link, useSearchParams } from "react-router";
import {
  addMonths,
  longDay,
  longMonth,
  monthEnd,
  monthStart,
  monthWeeks,
  weekStart,
} from "#features/trader-journal/days.ts";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { JournalNav } from "#features/trader-journal/journal-nav.tsx";
import { useDayEntries, useResultDays, useRulesByDay } from "#features/trader-journal/journal-queries.ts";
import { JournalSearch } from "#features/trader-journal/journal-search.tsx";
import { OrphanList } from "#features/trader-journal/orphan-list.tsx";
import { rulesKeptText } from "#features/trader-journal/track-record.ts";
import { TradeNotes } from "#features/trader-journal/trade-notes/trade-notes.tsx";
import { inrCompact, plural } from "#lib/format.ts";
import { useToday } from "#lib/use-today.ts";
import { ButtonLink } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type DayResult = { net: number; closedTrades: number };

/** Journal: search, calendar of a month, and its days, newest first. */
export function DaysPage() {
  const [params, setParams] = useSearchParams();
  const today = useToday();
  const month = monthStart(params.get("month") ? `${params.get("month")}-01` : (today ?? "2026-01-01"));
  const isSearching = ["q", "tags", "mistakes", "setup", "emotion", "rating"].some((name) =>
    params.has(name),
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 pt-1">
        <h1 tabIndex={-1} className="text-[2rem]">
          Journal
        </h1>
        {today && (
          <ButtonLink to={`/journal/${today}`} size="sm">
            Write today's plan
          </ButtonLink>
        )}
      </div>
      <JournalNav current="Days" />
      <JournalSearch />
      {!isSearching && <OrphanList />}
      {today && !isSearching && (
        <Month
          month={month}
          today={today}
          onMonth={(next) =>
            setParams({ month: next.slice(0, 7) }, { replace: true, preventScrollReset: true })
          }
        />
      )}
      {!isSearching && <TradeNotes />}
    </>
  );
}

type MonthProps = { month: string; today: string; onMonth: (month: string) => void };

function Month({ month, today, onMonth }: MonthProps) {
  const [from, to] = [monthStart(month), monthEnd(month)];
  const results = useResultDays(from, to);
  const written = useDayEntries(from, to);
  const rules = useRulesByDay(from, to);
  const failed = [results, written].find(({ isError }) => isError);
  if (failed) {
    return (
      <LoadFailure error={failed.error} busy={failed.isFetching} onRetry={() => void failed.refetch()} />
    );
  }
  const byDay = new Map<string, DayResult>(results.data?.days.map((day) => [day.date, day]));
  const entries = new Map(written.data?.entries.map((entry) => [entry.day, entry]));
  const rulesKept = new Map(rules.data?.groups.map((group) => [group.name, rulesKeptText(group)]));
  const days = [...new Set([...byDay.keys(), ...entries.keys()])].sort().reverse();
  const net = [...byDay.values()].reduce((sum, day) => sum + day.net, 0);
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center gap-2">
        <MonthLink label="Previous month" onClick={() => onMonth(addMonths(month, -1))}>
          <ChevronLeft size={18} aria-hidden />
        </MonthLink>
        <h2 className="text-h4">{longMonth(month)}</h2>
        <MonthLink label="Next month" onClick={() => onMonth(addMonths(month, 1))}>
          <ChevronRight size={18} aria-hidden />
        </MonthLink>
        {byDay.size > 0 && <Result value={net} />}
        <span className="text-data text-ink-3">after charges, by closed trades</span>
        <Link to={`/journal/${from}?period=month`} className="ml-auto text-brand text-ui underline">
          Monthly review
        </Link>
      </div>
      <Calendar month={month} today={today} results={byDay} entries={entries} rulesKept={rulesKept} />
      {results.isPending || written.isPending ? (
        <div className="mt-6">
          <TableSkeleton label="Loading days" columns={3} />
        </div>
      ) : (
        <DayList days={days} results={byDay} entries={entries} rulesKept={rulesKept} />
      )}
    </>
  );
}

function MonthLink({
  label,
  onClick,
  children,
}: {
  label: string;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="flex size-11 items-center justify-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink"
    >
      {children}
    </button>
  );
}

type DaysByDate = {
  results: Map<string, DayResult>;
  entries: Map<string, JournalEntry>;
  /** Rules that were kept, in words, such as "5 of 6 rules kept". */
  rulesKept: Map<string, string | undefined>;
};
type CalendarProps = DaysByDate & { month: string; today: string };

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Month as a table: result of each day, and a mark if it is reviewed. Each week links to its review. */
function Calendar({ month, today, results, entries, rulesKept }: CalendarProps) {
  return (
    <table className="mt-3 w-full table-fixed border-collapse text-data">
      <caption className="sr-only">Results and reviews of {longMonth(month)}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((name) => (
            <th key={name} scope="col" className="pb-1 text-left font-normal text-ink-3">
              {name}
            </th>
          ))}
          <th scope="col" className="w-14 pb-1 text-right font-normal text-ink-3 max-sm:sr-only">
            Week
          </th>
        </tr>
      </thead>
      <tbody>
        {monthWeeks(month).map((week) => {
          const monday = weekStart(week.find(Boolean) ?? month);
          return (
            <tr key={monday}>
              {week.map((day, index) => (
                <td key={WEEKDAYS[index]} className="h-14 border border-line p-0 align-top">
                  {day && day <= today ? (
                    <CalendarDay
                      day={day}
                      result={results.get(day)}
                      entry={entries.get(day)}
                      rulesKept={rulesKept.get(day)}
                    />
                  ) : (
                    <span className="block p-1.5 text-ink-3">{day?.slice(8).replace(/^0/, "")}</span>
                  )}
                </td>
              ))}
              <td className="text-right max-sm:sr-only">
                <Link
                  to={`/journal/${monday}?period=week`}
                  className="inline-flex min-h-11 items-center px-1 text-brand underline"
                >
                  Review<span className="sr-only"> of the week from {longDay(monday)}</span>
                </Link>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

type CalendarDayProps = {
  day: string;
  result: DayResult | undefined;
  entry: JournalEntry | undefined;
  rulesKept: string | undefined;
};

function CalendarDay({ day, result, entry, rulesKept }: CalendarDayProps) {
  const net = result?.net ?? 0;
  return (
    <Link
      to={`/journal/${day}`}
      className={clsx(
        "relative block h-full min-h-14 overflow-hidden p-1.5 hover:bg-sunken",
        net > 0 && "bg-gain-soft",
        net < 0 && "bg-loss-soft",
      )}
    >
      <span className="sr-only">
        {[longDay(day), result && netText(net), rulesKept, entry?.reviewed && "reviewed"]
          .filter(Boolean)
          .join(", ")}
      </span>
      <span aria-hidden="true" className="flex items-center justify-between">
        {day.slice(8).replace(/^0/, "")}
        {entry?.reviewed ? <Check size={14} /> : entry && <span>•</span>}
      </span>
      {result && (
        <span
          aria-hidden="true"
          className={clsx("figures block truncate text-floor", net < 0 ? "text-loss" : "text-gain")}
        >
          {netText(net)}
        </span>
      )}
      {rulesKept && (
        <span aria-hidden="true" className="block truncate text-floor text-ink-2 max-lg:hidden">
          {rulesKept}
        </span>
      )}
    </Link>
  );
}

function netText(net: number): string {
  return `${net > 0 ? "+" : ""}${inrCompact(net)}`;
}

type DayListProps = DaysByDate & { days: string[] };

function DayList({ days, results, entries, rulesKept }: DayListProps) {
  if (days.length === 0) {
    return (
      <p className="mt-6 text-ink-2">
        No trades and no notes in this month. Write a plan before the market opens, or add trades.
      </p>
    );
  }
  return (
    <ul className="mt-6 border-line border-t">
      {days.map((day) => {
        const [result, entry] = [results.get(day), entries.get(day)];
        return (
          <li key={day} className="relative border-line border-b py-3 hover:bg-sunken">
            <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
              <Link to={`/journal/${day}`} className="font-semibold after:absolute after:inset-0">
                {longDay(day)}
              </Link>
              {result && <Result value={result.net} />}
              {result && (
                <span className="text-data text-ink-3">{plural(result.closedTrades, "closed trade")}</span>
              )}
              {rulesKept.get(day) && <span className="text-data text-ink-3">{rulesKept.get(day)}</span>}
              <span className="ml-auto text-data text-ink-2">
                {entry?.reviewed ? "Reviewed" : entry ? "Notes" : ""}
              </span>
            </div>
            {(entry?.note || entry?.plan) && (
              <p className="mt-1 line-clamp-2 text-data text-ink-2">{entry.note || entry.plan}</p>
            )}
          </li>
        );
      })}
    </ul>
  );
}
