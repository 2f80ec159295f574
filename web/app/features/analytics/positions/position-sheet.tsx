import { ChevronLeft, ChevronRight } from "lucide-react";
import { PositionFacts, usePosition } from "#features/analytics/positions/position-facts.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import { positionPath } from "#lib/analytics-paths.ts";
import { tradeName } from "#lib/contract.ts";
import { Button, ButtonLink, IconButton } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type PositionSheetProps = {
  id: string;
  /** Place in the list, such as "4 of 24"; empty if it is not in the list. */
  place: string;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onClose: () => void;
};

/** Side panel of a position: result, prices, trades with their lots, charges, and its journal. */
export function PositionSheet({ id, place, onPrevious, onNext, onClose }: PositionSheetProps) {
  const { journal } = useViewer();
  const query = usePosition(id);
  const detail = query.data;
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={detail ? tradeName(detail.position) : "Position"}
      actions={
        <>
          <span className="mr-auto flex items-center gap-1 text-data text-ink-2">
            <IconButton label="Previous position" onClick={() => onPrevious?.()} disabled={!onPrevious}>
              <ChevronLeft size={18} aria-hidden />
            </IconButton>
            <IconButton label="Next position" onClick={() => onNext?.()} disabled={!onNext}>
              <ChevronRight size={18} aria-hidden />
            </IconButton>
            {place}
          </span>
          <ButtonLink variant="quiet" to={positionPath(id)}>
            Open page
          </ButtonLink>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <PositionFacts query={query} />
      {detail && journal && <div className="mt-8">{journal(detail.position)}</div>}
    </Dialog>
  );
}
