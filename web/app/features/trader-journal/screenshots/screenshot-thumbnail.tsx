import { ImageOff } from "lucide-react";
import type { Screenshot } from "#features/trader-journal/screenshots/screenshot.ts";
import { useNearViewport } from "#features/trader-journal/screenshots/use-near-viewport.ts";
import { useScreenshotUrl } from "#features/trader-journal/screenshots/use-screenshot-url.ts";

type ScreenshotThumbnailProps = { screenshot: Screenshot; label: string; onOpen: () => void };

/** Button with the thumbnail of a screenshot, which loads when it is near the visible part of the page. */
export function ScreenshotThumbnail({ screenshot: { id }, label, onOpen }: ScreenshotThumbnailProps) {
  const { element, isNear } = useNearViewport<HTMLButtonElement>();
  const { url, error } = useScreenshotUrl(id, "thumbnail", isNear);
  return (
    <button
      ref={element}
      type="button"
      data-screenshot={id}
      onClick={onOpen}
      className="flex size-22 items-center justify-center overflow-hidden rounded-control border border-line bg-sunken text-ink-2 hover:border-brand"
    >
      {url ? (
        <img src={url} alt={label} width={88} height={88} className="size-full object-cover" />
      ) : (
        <>
          {error && <ImageOff size={22} aria-hidden />}
          <span className="sr-only">{error ? `${label}, not loaded` : label}</span>
        </>
      )}
    </button>
  );
}
