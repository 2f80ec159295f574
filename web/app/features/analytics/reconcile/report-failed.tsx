import { useReader } from "#features/analytics/reader.ts";
import type { ReportFailure } from "#features/analytics/reconcile/send-report.ts";
import { Banner } from "#ui/banner.tsx";
import { Button, ButtonLink } from "#ui/button.tsx";

/** Trades belong into the log, and without any there is nothing to compare with. */
const WANTS_TRADES = ["file_of_trades", "no_trades_of_ours"];

export type ReportFailedProps = { file: File; failure: ReportFailure; onRetry: () => void };

/** Why there is nothing to see, and the next step. */
export function ReportFailed({ file, failure: { title, text, retry, code }, onRetry }: ReportFailedProps) {
  const { own } = useReader();
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
          {own && WANTS_TRADES.includes(code) && (
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
