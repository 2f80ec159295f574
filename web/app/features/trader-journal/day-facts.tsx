import { Link } from "react-router";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { ScreenshotCount } from "#features/trader-journal/screenshots/screenshot-count.tsx";
import { positionPath } from "#lib/analytics-paths.ts";
import { $api } from "#lib/api-query.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, inrPaise, plural, time } from "#lib/format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Maximum number of listed positions. */
const MAX_POSITIONS = 50;

type DayFactsProps = { from: string; to: string; kind: "day" | "week" | "month" };

/** Positions that were closed in the period, with their results after charges. */
export function DayFacts({ from, to, kind }: DayFactsProps) {
  const { data, error, isFetching, isPending, refetch } = $api.useQuery(
    "get",
    "/analytics/positions",
    { params: { query: { from, to, state: "closed", limit: MAX_POSITIONS } } },
    { staleTime: 0 },
  );
  const keys = data?.positions.map(({ id }) => id) ?? [];
  const entries = $api.useQuery(
    "post",
    "/journal/entries/lookup",
    { body: { kind: "position", keys, withoutText: true } },
    { enabled: keys.length > 0, staleTime: 0 },
  );
  if (isPending) return <TableSkeleton label="Loading positions" columns={4} rows={3} />;
  if (!data) return <LoadFailure error={error} busy={isFetching} onRetry={() => void refetch()} />;
  if (data.total === 0) return <p className="text-ink-2">{`No position was closed on this ${kind}.`}</p>;
  const byKey = new Map(entries.data?.entries.map((entry) => [entry.key, entry]));
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3 font-semibold">
        <Result value={data.sums.net} />
        <span className="font-normal text-data text-ink-2">
          {`${plural(data.total, "position")} closed, charges ${inrPaise(data.sums.charges)}`}
        </span>
      </p>
      <section
        aria-label="Positions of the period"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        className="mt-3 overflow-x-auto"
      >
        <table className="w-full text-data">
          <caption className="sr-only">Positions closed, with result after charges</caption>
          <thead>
            <tr className="border-line border-b text-left text-ink-2">
              <th scope="col" className="py-1 pr-2 sm:pr-3 font-normal">
                Closed
              </th>
              <th scope="col" className="py-1 pr-2 sm:pr-3 font-normal">
                Position
              </th>
              <th scope="col" className="py-1 pr-2 sm:pr-3 font-normal">
                Setup
              </th>
              <th scope="col" className="py-1 pr-2 sm:pr-3 text-right font-normal max-sm:hidden">
                Charges
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                Net P&amp;L
              </th>
            </tr>
          </thead>
          <tbody>
            {data.positions.map((position) => (
              <tr key={position.id} className="border-line border-b">
                <td className="whitespace-nowrap py-1.5 pr-2 sm:pr-3">{closedText(position, kind)}</td>
                <td className="py-1.5 pr-2 sm:pr-3">
                  <Link to={positionPath(position.id)} className="font-semibold hover:underline">
                    {tradeName(position)}
                  </Link>
                  <span className="text-ink-2">{` ${position.side} ${count(position.quantity)} `}</span>
                  <ScreenshotCount entry={byKey.get(position.id)} />
                </td>
                <td className="py-1.5 pr-2 sm:pr-3">
                  {byKey.get(position.id)?.reviewed ? (
                    byKey.get(position.id)?.setup || "Reviewed"
                  ) : (
                    <Link to={`/journal/review?position=${position.id}`} className="text-brand underline">
                      Review<span className="sr-only"> {tradeName(position)}</span>
                    </Link>
                  )}
                </td>
                <td className="figures py-1.5 pr-2 sm:pr-3 text-right max-sm:hidden">
                  {inrPaise(position.charges)}
                </td>
                <td className="py-1.5 text-right">
                  <Result value={position.net} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {data.total > data.positions.length && (
        <p className="mt-2 text-data text-ink-2">{`The last ${count(data.positions.length)} of ${count(data.total)}.`}</p>
      )}
    </>
  );
}

function closedText({ closedAt, timePrecision }: Position, kind: DayFactsProps["kind"]): string {
  if (!closedAt) return "";
  if (kind !== "day" || timePrecision === "day") return date(closedAt);
  return time(closedAt);
}
