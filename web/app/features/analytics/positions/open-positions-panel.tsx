import { useRef, useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { OpenPositionsTable } from "#features/analytics/positions/open-positions-table.tsx";
import { type DayPrices, readDayPrices } from "#features/analytics/positions/price-file.ts";
import { addDayPrices, type Prices, priceDays, totalOf } from "#features/analytics/positions/valuation.ts";
import { useKeptState } from "#features/analytics/use-kept-state.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { date, plural, signed } from "#lib/format.ts";
import { FileButton } from "#ui/file-button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type OpenPosition = Schemas["OpenPosition"];

/** Open positions with quantity, average price, days held and expiry, independent of the filters. */
export function OpenPositionsPanel() {
  const viewer = useViewer();
  const query = $api.useQuery("get", "/analytics/open-positions", { ...viewer.requestInit }, FRESH);
  const { data } = query;
  if (data?.openTotal === 0) return null;
  if (data) return <ValuedPositions positions={data.open} total={data.openTotal} />;
  return (
    <Panel title="Open positions">
      <div className="px-4 pb-6 sm:px-6">
        {query.isError ? (
          <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <TableSkeleton label="Loading open positions" columns={4} />
        )}
      </div>
    </Panel>
  );
}

type ValuedPositionsProps = { positions: readonly OpenPosition[]; total: number };

/** Open positions with the prices that the trader typed or added from a file of the exchange. */
function ValuedPositions({ positions, total }: ValuedPositionsProps) {
  const file = useRef<HTMLInputElement>(null);
  const [prices = {}, keep] = useKeptState<Prices>("prices");
  const [news, setNews] = useState("");

  async function addFiles(files: readonly File[]) {
    const read = await Promise.all(files.map((one) => readFile(one, positions)));
    keep((now = {}) => read.flatMap(({ days }) => days).reduce(addDayPrices, now));
    setNews(read.map(({ sentence }) => sentence).join(" "));
  }

  const { count: valued, result } = totalOf(positions, prices);
  const name = plural(total, "open position");
  const part = valued < total ? `, ${valued} with a price` : "";
  return (
    <Panel
      title={valued > 0 ? `${name}${part}: ${signed(result)} unrealised` : name}
      text={positionsText(priceDays(positions, prices))}
      tools={
        <FileButton
          ref={file}
          aria-label="Add a price file"
          kinds=".csv,.zip"
          multiple
          onFiles={(files) => void addFiles(files)}
        >
          Add a price file
        </FileButton>
      }
    >
      <p role="status" className="px-4 text-data text-ink-2 not-empty:pb-4 sm:px-6">
        {news}
      </p>
      <OpenPositionsTable
        positions={positions}
        prices={prices}
        onPrice={(key, text) => keep((now) => ({ ...now, [key]: { text } }))}
      />
    </Panel>
  );
}

function positionsText(days: readonly string[]): string {
  const scope = "All accounts; the filters do not apply.";
  const [last] = days.slice(-1);
  return last
    ? `${scope} Prices of ${days.map((day) => date(day)).join(" and ")}. Unrealised results are before charges; only the returns on capital include them.`
    : `${scope} Type a price to see what a position is worth, or add a price file of the exchange (bhavcopy, .csv or .zip). It is read in your browser and not uploaded.`;
}

/** Reads the prices of a file, and says what it contains. */
async function readFile(
  file: File,
  positions: readonly OpenPosition[],
): Promise<{ days: DayPrices[]; sentence: string }> {
  try {
    const { readPriceTexts } = await import("#features/analytics/positions/read-price-file.ts");
    const texts = await readPriceTexts(file);
    const days = texts.flatMap((text) => readDayPrices(text, positions) ?? []);
    const [first] = days;
    if (!first) {
      return {
        days,
        sentence: `${file.name} is not a price file that we know. Download “CM-UDiFF Common Bhavcopy” or “F&O-UDiFF Common Bhavcopy” from the exchange's daily reports.`,
      };
    }
    const priced = new Set(days.flatMap(({ prices }) => Object.keys(prices))).size;
    return {
      days,
      sentence: `${file.name}: ${plural(priced, "price")} of ${date(first.day)} for your positions.`,
    };
  } catch (error) {
    console.error(error);
    return {
      days: [],
      sentence: `${file.name} could not be read. Download it again, or unpack it and choose the .csv file.`,
    };
  }
}
