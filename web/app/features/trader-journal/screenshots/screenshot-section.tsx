import clsx from "clsx";
import { ImagePlus } from "lucide-react";
import { useRef, useState } from "react";
import type { EntrySaver } from "#features/trader-journal/entry-saver.ts";
import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { MAX_SCREENSHOTS, PICTURE_TYPES } from "#features/trader-journal/screenshots/screenshot.ts";
import { StoredScreenshots } from "#features/trader-journal/screenshots/stored-screenshots.tsx";
import { isUnfinished } from "#features/trader-journal/screenshots/upload-queue.ts";
import { UploadRow } from "#features/trader-journal/screenshots/upload-row.tsx";
import { usePicturePaste } from "#features/trader-journal/screenshots/use-picture-paste.ts";
import { useScreenshots } from "#features/trader-journal/screenshots/use-screenshots.ts";
import { plural } from "#lib/format.ts";
import { useOnline } from "#lib/use-online.ts";
import { FileButton } from "#ui/file-button.tsx";
import { useFileDrop } from "#ui/use-file-drop.ts";

type ScreenshotSectionProps = {
  saver: EntrySaver;
  /** Called before a picture is sent, which creates the entry. */
  onBegin?: () => void;
};

/** Screenshots of an entry: thumbnails, and pictures to add by button, paste or drop. */
export function ScreenshotSection({ saver, onBegin }: ScreenshotSectionProps) {
  const { queue, list, uploads, stored } = useScreenshots(saver, onBegin);
  const [refused, setRefused] = useState(0);
  const section = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const total = stored.screenshots.length;
  const isFull = total + uploads.filter(isUnfinished).length >= MAX_SCREENSHOTS;

  const add = (files: File[]) => setRefused(queue.add(files, list.state().screenshots.length));
  const { isOver, handlers } = useFileDrop(add);
  usePicturePaste(section, add);

  return (
    <MarginSection title="Screenshots" hint={`${total} of ${MAX_SCREENSHOTS}`}>
      <div
        ref={section}
        tabIndex={-1}
        {...handlers}
        className={clsx(
          "-m-2 rounded-panel border border-dashed p-2 transition-colors duration-120 ease-out",
          isOver ? "border-brand bg-brand-soft" : "border-transparent",
        )}
      >
        <p role="status" className="sr-only">
          {plural(total, "screenshot")}
        </p>
        <StoredScreenshots list={list} stored={stored} subject={saver.subject} section={section} />
        {uploads.length > 0 && (
          <ul aria-label="Uploads" className="mb-3">
            {uploads.map((upload) => (
              <UploadRow key={upload.id} upload={upload} queue={queue} next={section} />
            ))}
          </ul>
        )}
        {refused > 0 && (
          <p role="alert" className="mb-3 text-data text-loss">
            {`An entry holds ${MAX_SCREENSHOTS} screenshots. ${plural(refused, "picture")} not added.`}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <FileButton
            ref={input}
            aria-label="Add screenshot"
            kinds={PICTURE_TYPES}
            multiple
            disabled={isFull}
            icon={<ImagePlus size={17} aria-hidden />}
            onFiles={add}
          >
            Add screenshot
          </FileButton>
          <AddHint isFull={isFull} isOver={isOver} />
        </div>
      </div>
    </MarginSection>
  );
}

function AddHint({ isFull, isOver }: { isFull: boolean; isOver: boolean }) {
  const isOnline = useOnline();
  return (
    <p role="status" className="min-w-0 flex-1 basis-48 text-data text-ink-2">
      {hintText({ isFull, isOver, isOnline })}
      {!isFull && !isOver && isOnline && (
        <span className="pointer-coarse:hidden"> You can also paste or drop pictures.</span>
      )}
    </p>
  );
}

type Situation = { isFull: boolean; isOver: boolean; isOnline: boolean };

function hintText({ isFull, isOver, isOnline }: Situation): string {
  if (isFull) return `An entry holds ${MAX_SCREENSHOTS} screenshots. Delete one to add another.`;
  if (isOver) return "Drop the pictures to add them.";
  if (isOnline) return "PNG, JPEG or WebP.";
  return "You are offline. Screenshots need a connection. Pictures that you add are kept until you close this tab, and are uploaded when you are online.";
}
