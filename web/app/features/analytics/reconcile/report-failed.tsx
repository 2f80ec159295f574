import type { ReportFailure } from "#features/analytics/reconcile/send-report.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { Banner } from "#ui/banner.tsx";
import { Button, ButtonLink } from "#ui/button.tsx";

/** Error codes after which the trader should add trades: the file is a tradebook, or the log has no trades. */
const NEEDS_TRADES = ["trades_file", "no_trades_to_reconcile"];

export type ReportFailedProps = { file: File; failure: ReportFailure; onRetry: () => void };

/** Banner that explains why a report was not compared, with the next step. */
export function ReportFailed({ file, failure: { title, text, retry, code }, onRetry }: ReportFailedProps) {
  const { isOwner } = useViewer();
  return (
    <Banner
      tone="loss"
      role="alert"
      title={`${file.name}: ${title}`}
      className="mt-6 max-w-5xl"
      actions={
        <>
          {retry && (
            <Button size="sm" variant="secondary" onClick={onRetry}>
              Try again
            </Button>
          )}
          {isOwner && NEEDS_TRADES.includes(code) && (
            <ButtonLink size="sm" variant="secondary" to="/dashboard?panel=0">
              Add Trades
            </ButtonLink>
          )}
        </>
      }
    >
      {text}
    </Banner>
  );
}
