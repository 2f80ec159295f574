import { lazy, type RefObject, Suspense, useState } from "react";
import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { DeletedBanner } from "#features/trader-journal/screenshots/deleted-banner.tsx";
import { screenshotLabel } from "#features/trader-journal/screenshots/screenshot.ts";
import type { ListState, ScreenshotList } from "#features/trader-journal/screenshots/screenshot-list.ts";
import { ScreenshotThumbnail } from "#features/trader-journal/screenshots/screenshot-thumbnail.tsx";

const ScreenshotViewer = lazy(async () => ({
  default: (await import("#features/trader-journal/screenshots/screenshot-viewer.tsx")).ScreenshotViewer,
}));

type StoredScreenshotsProps = {
  list: ScreenshotList;
  stored: ListState;
  subject: JournalSubject;
  /** Element around the screenshots; gets the focus if there is no better one. */
  section: RefObject<HTMLElement | null>;
};

/** Thumbnails of the stored screenshots, which open in full size, and the offer to undo a deletion. */
export function StoredScreenshots({ list, stored, subject, section }: StoredScreenshotsProps) {
  const { screenshots, deleted, failure } = stored;
  const [openId, setOpenId] = useState<string>();
  const openIndex = screenshots.findIndex(({ id }) => id === openId);
  function focusRestored(id: string) {
    const restored = section.current?.querySelector<HTMLElement>(`[data-screenshot="${id}"]`);
    (restored ?? section.current)?.focus();
  }
  return (
    <>
      {screenshots.length > 0 && (
        <ul aria-label="Screenshots" className="mb-3 flex flex-wrap gap-2">
          {screenshots.map((screenshot, index) => (
            <li key={screenshot.id}>
              <ScreenshotThumbnail
                screenshot={screenshot}
                label={screenshotLabel(index, screenshots.length)}
                onOpen={() => setOpenId(screenshot.id)}
              />
            </li>
          ))}
        </ul>
      )}
      {deleted.length > 0 && <DeletedBanner list={list} deleted={deleted} onRestored={focusRestored} />}
      {failure && (
        <p role="alert" className="mb-3 text-data text-loss">
          {failure}
        </p>
      )}
      {openIndex >= 0 && (
        <Suspense>
          <ScreenshotViewer
            screenshots={screenshots}
            index={openIndex}
            subject={subject}
            onMove={(index) => setOpenId(screenshots[index]?.id)}
            onDelete={(id) => {
              setOpenId(undefined);
              void list.delete(id);
            }}
            onClose={() => setOpenId(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
