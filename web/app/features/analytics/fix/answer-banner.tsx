import type { AnswerResult } from "#features/analytics/fix/fix-texts.ts";
import { inrPaise, plural, signed } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type AnswerBannerProps = {
  title: string;
  result: AnswerResult;
  /** True while the answers are being undone. */
  undoing: boolean;
  onUndo: (firstId: string, lastId: string) => void;
  onDismiss: () => void;
};

/** Effect of answers to data issues on the net result, with Undo. */
export function AnswerBanner({ title, result, undoing, onUndo, onDismiss }: AnswerBannerProps) {
  const { firstId, lastId, netBefore, netAfter, issuesAfter } = result;
  // In whole 1/10,000 rupees, without rounding errors.
  const change = signed((Math.round(netAfter * 1e4) - Math.round(netBefore * 1e4)) / 1e4);
  const effect =
    netBefore === netAfter
      ? `Net P&L stays ${inrPaise(netAfter)}.`
      : `Net P&L was ${inrPaise(netBefore)} and is now ${inrPaise(netAfter)}, ${change}.`;
  return (
    <Banner
      tone="gain"
      role="status"
      title={title}
      onDismiss={onDismiss}
      className="mt-4"
      actions={
        firstId &&
        lastId && (
          <Button variant="secondary" size="sm" pending={undoing} onClick={() => onUndo(firstId, lastId)}>
            Undo
          </Button>
        )
      }
    >
      {`${effect} ${plural(issuesAfter, "issue")} left.`}
    </Banner>
  );
}
