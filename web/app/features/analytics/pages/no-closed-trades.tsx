import type { Overview } from "#features/analytics/analytics-api.ts";
import { unitPlural } from "#features/analytics/filters/units.ts";
import { MissingDataBanner } from "#features/analytics/missing-data-banner.tsx";
import { useUnit } from "#features/analytics/viewer.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";
import { plural } from "#lib/format.ts";
import { Button, ButtonLink } from "#ui/button.tsx";

/** Content of a page without figures: no trade is closed yet, or none matches the filters. */
export function NoClosedTrades({ overview, onClear }: { overview: Overview; onClear: () => void }) {
  const filtered = overview.scope.closedTrades > 0;
  const unit = useUnit();
  return (
    <>
      <div className="mt-6 border-line border-y py-10">
        <h2 className="text-h3">
          {filtered ? `No ${unitPlural(unit)} match these filters` : "No position is closed yet"}
        </h2>
        <p className="mt-2 max-w-prose text-ink-2">
          {filtered
            ? `You have closed positions, but none match all the filters.`
            : `You have ${plural(overview.scope.trades, "trade")}, but no position is closed yet. Analytics appear after your first closed trade.`}
        </p>
        {filtered ? (
          <Button variant="secondary" onClick={onClear} className="mt-5">
            Clear filters
          </Button>
        ) : (
          <ButtonLink variant="secondary" to={TRADES_PATH} className="mt-5">
            Show open positions
          </ButtonLink>
        )}
      </div>
      {!filtered && (
        <div className="mt-6">
          <MissingDataBanner {...overview.dataIssues} doubtful={0} unit={unit} />
        </div>
      )}
    </>
  );
}
