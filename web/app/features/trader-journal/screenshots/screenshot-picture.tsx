import { Download, ExternalLink } from "lucide-react";
import type { Screenshot } from "#features/trader-journal/screenshots/screenshot.ts";
import { useScreenshotUrl } from "#features/trader-journal/screenshots/use-screenshot-url.ts";
import { count, dateTime, fileSize } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";

type ScreenshotPictureProps = { screenshot: Screenshot; label: string; fileName: string };

/** Screenshot in full size in a box of fixed height, with links to open and download it. */
export function ScreenshotPicture({ screenshot, label, fileName }: ScreenshotPictureProps) {
  const { id, width, height, bytes, addedAt } = screenshot;
  const { url, picture, error, isFetching, refetch } = useScreenshotUrl(id, "full");
  return (
    <>
      <div className="flex h-[calc(100dvh-17rem)] min-h-40 items-center justify-center bg-sunken">
        {url ? (
          <img
            src={url}
            alt={label}
            width={width}
            height={height}
            className="h-auto max-h-full w-auto max-w-full object-contain"
          />
        ) : error ? (
          <div className="space-y-3 p-4 text-center">
            <p role="alert" className="text-loss">
              {errorMessage(error)}
            </p>
            <Button variant="secondary" pending={isFetching} onClick={() => void refetch()}>
              Retry
            </Button>
          </div>
        ) : (
          <p className="animate-late">Loading</p>
        )}
      </div>
      <div className="flex min-h-11 flex-wrap items-center gap-x-6 text-data">
        <p className="figures mr-auto">
          {`Added ${dateTime(addedAt)} · ${count(width)} × ${count(height)} · ${fileSize(bytes)}`}
        </p>
        {url && picture && (
          <>
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="link inline-flex min-h-11 items-center gap-1.5"
            >
              <ExternalLink size={16} aria-hidden />
              Open in a new tab
            </a>
            <button
              type="button"
              onClick={() => saveFile(fileName, picture)}
              className="link inline-flex min-h-11 items-center gap-1.5"
            >
              <Download size={16} aria-hidden />
              Download
            </button>
          </>
        )}
      </div>
    </>
  );
}
