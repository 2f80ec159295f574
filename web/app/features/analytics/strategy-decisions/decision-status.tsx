import type { ReactNode } from "react";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

type DecisionStatusProps = {
  /** Result of the last decision; undefined if there is none. */
  text: string | undefined;
  busy: boolean;
  /** Undoes the decision; undefined if it was undone. */
  onUndo: (() => void) | undefined;
  onDismiss: () => void;
  children?: ReactNode;
};

/** Result of the last decision with Undo. The status element stays, so that screen readers announce its changes. */
export function DecisionStatus({ text, busy, onUndo, onDismiss, children }: DecisionStatusProps) {
  return (
    <div role="status" className="not-empty:pb-4" data-print="no">
      {text && (
        <Banner
          tone="gain"
          title={text}
          onDismiss={onDismiss}
          actions={
            onUndo && (
              <Button variant="secondary" size="sm" pending={busy} onClick={onUndo} className="max-sm:h-11">
                Undo
              </Button>
            )
          }
        >
          {children}
        </Banner>
      )}
    </div>
  );
}
