import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import type { Schemas } from "#lib/api.ts";

export type Screenshot = Schemas["JournalScreenshot"];

/** Maximum number of screenshots of an entry. */
export const MAX_SCREENSHOTS = 10;

/** Value of the `accept` attribute. Phones offer the camera and the gallery for it. */
export const PICTURE_TYPES = "image/png,image/jpeg,image/webp";

/** Returns the screenshots of an entry, oldest first; none if there is no entry. */
export function screenshotsOf(
  entry: { screenshots?: readonly Screenshot[] } | null | undefined,
): readonly Screenshot[] {
  return entry?.screenshots ?? [];
}

/** Returns "Screenshot 2 of 3". */
export function screenshotLabel(index: number, total: number): string {
  return `Screenshot ${index + 1} of ${total}`;
}

/** Returns the name of a downloaded screenshot: "2026-11-20-INFY-2.png". */
export function screenshotFileName(
  { kind, symbol, day }: Pick<JournalSubject, "kind" | "symbol" | "day">,
  index: number,
  { mediaType }: Pick<Screenshot, "mediaType">,
): string {
  const subject = (symbol || kind).replace(/[^\w&-]+/g, "-");
  return `${day}-${subject}-${index + 1}.${mediaType === "image/png" ? "png" : "jpg"}`;
}
