import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import {
  type Screenshot,
  screenshotFileName,
  screenshotLabel,
} from "#features/trader-journal/screenshots/screenshot.ts";
import { ScreenshotPicture } from "#features/trader-journal/screenshots/screenshot-picture.tsx";
import { Button, IconButton } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

/** Full screen on a phone. */
const SIZE =
  "max-w-6xl! max-sm:m-0! max-sm:h-dvh max-sm:max-h-none! max-sm:w-full! max-sm:max-w-full! max-sm:rounded-none! max-sm:border-0!";

type ScreenshotViewerProps = {
  screenshots: readonly Screenshot[];
  /** Index of the shown screenshot. */
  index: number;
  subject: JournalSubject;
  onMove: (index: number) => void;
  onDelete: (id: string) => void;
  onClose: () => void;
};

/** Dialog with a screenshot in full size. The arrow keys show the others. */
export function ScreenshotViewer(props: ScreenshotViewerProps) {
  const { screenshots, index, subject, onMove, onDelete, onClose } = props;
  const moveTo = (next: number) => {
    if (next >= 0 && next < screenshots.length) onMove(next);
  };
  useArrowKeys((step) => moveTo(index + step));
  const shown = screenshots[index];
  if (!shown) return null;
  const label = screenshotLabel(index, screenshots.length);
  return (
    <Dialog
      open
      onClose={onClose}
      title={label}
      className={SIZE}
      actions={
        <>
          <span className="mr-auto flex items-center gap-1">
            <MoveButton label="Previous screenshot" disabled={index === 0} onClick={() => moveTo(index - 1)}>
              <ChevronLeft size={20} aria-hidden />
            </MoveButton>
            <MoveButton
              label="Next screenshot"
              disabled={index === screenshots.length - 1}
              onClick={() => moveTo(index + 1)}
            >
              <ChevronRight size={20} aria-hidden />
            </MoveButton>
          </span>
          <Button variant="danger" onClick={() => onDelete(shown.id)}>
            Delete
          </Button>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p role="status" className="sr-only">
        {label}
      </p>
      <ScreenshotPicture
        key={shown.id}
        screenshot={shown}
        label={label}
        fileName={screenshotFileName(subject, index, shown)}
      />
    </Dialog>
  );
}

type MoveButtonProps = { label: string; disabled: boolean; onClick: () => void; children: ReactNode };

/** Button that shows another screenshot. It is never natively disabled, so that it keeps the focus at the ends. */
function MoveButton({ disabled, ...button }: MoveButtonProps) {
  return (
    <IconButton
      {...button}
      aria-disabled={disabled}
      className="aria-disabled:cursor-default aria-disabled:text-ink-3"
    />
  );
}

/** Calls `onStep` with -1 or 1 when an arrow key is pressed. */
function useArrowKeys(onStep: (step: number) => void): void {
  const latest = useRef(onStep);
  latest.current = onStep;
  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      latest.current(step);
    }
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, []);
}
