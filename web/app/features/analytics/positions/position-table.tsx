import clsx from "clsx";
import type { MouseEvent, ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import type { Position, PositionPage } from "#features/analytics/analytics-api.ts";
import { duration } from "#features/analytics/analytics-format.ts";
import { writePosition } from "#features/analytics/filters/analytics-view.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date, istDate, plural, time } from "#lib/format.ts";
import { multiple } from "#lib/ratio-format.ts";
import { Result } from "#ui/money.tsx";

export type PositionTableProps = {
  positions: readonly Position[];
  days: PositionPage["days"];
  sums: PositionPage["sums"];
  /** Groups the rows by the day of closing, with its totals. */
  byDay: boolean;
  /** Id of the position in the side panel. */
  shown: string;
  onOpen: (id: string) => void;
};

/** Positions in rows under day lines; a row opens its side panel. */
export function PositionTable({ positions, days, sums, byDay, shown, onOpen }: PositionTableProps) {
  const sections = byDay ? groupByDay(positions) : [{ day: "", positions }];
  return (
    <section
      aria-label="List of positions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto border-line border-t -outline-offset-2"
    >
      <table className="w-full text-data">
        <thead>
          <tr className="text-floor text-ink-3">
            <Head className="border-r sm:w-18 border-r-rule pl-3 sm:pl-6">Closed</Head>
            <Head>Position</Head>
            <Head figures className="max-sm:hidden">
              Qty
            </Head>
            <Head figures className="max-md:hidden">
              Held
            </Head>
            <Head className="max-lg:hidden">Setup</Head>
            <Head figures className="max-md:hidden">
              R
            </Head>
            <Head figures className="pr-3 sm:pr-6">
              Net P&amp;L
            </Head>
          </tr>
        </thead>
        {sections.map((section) => (
          <tbody key={section.day}>
            {byDay && <DayLine day={section.day} positions={section.positions} days={days} />}
            {section.positions.map((position) => (
              <PositionRow
                key={position.id}
                position={position}
                isShown={position.id === shown}
                dated={!byDay}
                onOpen={onOpen}
              />
            ))}
          </tbody>
        ))}
        <tfoot>
          <tr className="border-line-strong border-t font-semibold">
            <td className="h-9 border-r border-r-rule" />
            <td className="px-2 sm:px-3">
              All positions that match
              {sums.openNet !== 0 && (
                <span className="font-normal text-ink-2">, with the closed parts of open ones</span>
              )}
            </td>
            <td className="max-sm:hidden" />
            <td className="max-md:hidden" />
            <td className="max-lg:hidden" />
            <td className="max-md:hidden" />
            <td className="whitespace-nowrap pr-3 text-right sm:pr-6">
              <Result value={sums.net} />
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

type HeadProps = { figures?: boolean; className?: string; children: ReactNode };

function Head({ figures = false, className, children }: HeadProps) {
  return (
    <th
      scope="col"
      className={clsx("h-8 px-2 font-medium sm:px-3", figures ? "text-right" : "text-left", className)}
    >
      {children}
    </th>
  );
}

/** Day of closing with the number of its positions and their net result. */
function DayLine({ day, positions, days }: { day: string } & Pick<PositionTableProps, "positions" | "days">) {
  const sums = days.find(({ date: on }) => on === day);
  const weekday =
    day && new Date(`${day}T00:00:00Z`).toLocaleDateString("en-IN", { weekday: "long", timeZone: "UTC" });
  return (
    <tr className="border-line border-t bg-sunken text-ink-2">
      <th
        scope="rowgroup"
        className="h-8 whitespace-nowrap border-r border-r-rule pr-2 pl-3 text-left font-medium sm:pl-6"
      >
        {day ? date(day).replace(/ \d+$/, "") : "Open"}
      </th>
      <td className="px-2 sm:px-3">
        {day
          ? `${weekday}, ${plural(sums?.positions ?? positions.length, "position")}`
          : plural(positions.length, "position")}
      </td>
      <td className="max-sm:hidden" />
      <td className="max-md:hidden" />
      <td className="max-lg:hidden" />
      <td className="max-md:hidden" />
      <td className="whitespace-nowrap pr-3 text-right sm:pr-6">{sums && <Result value={sums.net} />}</td>
    </tr>
  );
}

/** The link in a row does the same by keyboard as a press on the row. */
type RowProps = { position: Position; isShown: boolean; dated: boolean; onOpen: (id: string) => void };

function PositionRow({ position, isShown, dated, onOpen }: RowProps) {
  const [params] = useSearchParams();
  const name = tradeName(position);

  function handleClick(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    onOpen(position.id);
  }

  return (
    <tr
      onClick={handleClick}
      aria-current={isShown || undefined}
      className={clsx("cursor-pointer border-line border-t", isShown ? "bg-brand-soft" : "hover:bg-sunken")}
    >
      <td className="figures h-8 whitespace-nowrap border-r border-r-rule pr-2 pl-3 text-ink-2 sm:pl-6 pointer-coarse:h-11">
        {closedText(position, dated)}
      </td>
      <th scope="row" className="px-2 text-left sm:px-3 font-normal">
        <Link
          to={{ search: writePosition(params, position.id).toString() }}
          preventScrollReset
          className="font-semibold hover:underline"
        >
          {name}
        </Link>{" "}
        <span className="text-ink-2">{position.side}</span>
        {position.openQuantity > 0 && (
          <span className="text-ink-3">{`, ${count(position.openQuantity)} open`}</span>
        )}
      </th>
      <td className="figures px-3 text-right max-sm:hidden">{count(position.quantity)}</td>
      <td className="figures whitespace-nowrap px-3 text-right text-ink-2 max-md:hidden">
        {position.holdingSeconds === null ? "" : duration(position.holdingSeconds)}
      </td>
      <td className="px-3 text-ink-2 max-lg:hidden">{position.setup}</td>
      <td className="figures px-3 text-right text-ink-2 max-md:hidden">
        {position.r === undefined ? "" : multiple(position.r)}
      </td>
      <td className="whitespace-nowrap pr-3 text-right sm:pr-6">{resultText(position)}</td>
    </tr>
  );
}

/** Returns the result; a position without any exit has none yet. */
function resultText(position: Position): ReactNode {
  if (position.state === "awaitingSettlement") return <span className="text-warn">Awaiting settlement</span>;
  if (position.closedTrades === 0) return <span className="text-ink-3">Open</span>;
  return <Result value={position.net} />;
}

function closedText({ closedAt, timePrecision }: Position, dated: boolean): string {
  if (!closedAt) return dated ? "Open" : "";
  if (dated) return date(istDate(closedAt)).replace(/ \d+$/, "");
  return timePrecision === "day" ? "" : time(closedAt);
}

function groupByDay(positions: readonly Position[]): { day: string; positions: Position[] }[] {
  const sections: { day: string; positions: Position[] }[] = [];
  for (const position of positions) {
    const day = position.closedAt ? istDate(position.closedAt) : "";
    const last = sections.at(-1);
    if (last?.day === day) last.positions.push(position);
    else sections.push({ day, positions: [position] });
  }
  return sections;
}
