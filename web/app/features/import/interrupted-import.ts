import { SAFE_TO_RETRY } from "#features/import/import-failure.ts";
import { type ImportItem, inPhase } from "#features/import/import-item.ts";

/** Names in a message. */
const MAX_NAMES = 12;

function names(items: readonly ImportItem[]): string {
  const listed = items.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = items.length - listed.length;
  return [...listed, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Returns the names of the files whose import would be interrupted by leaving. */
export function unfinishedFiles(items: readonly ImportItem[]): string {
  return names(inPhase(items, "queued", "waiting", "sending", "storing"));
}

/** Describes an interrupted import; undefined if no file was in the queue. */
export function interruptedText(items: readonly ImportItem[]): { title: string; text: string } | undefined {
  const notImported = names(inPhase(items, "queued", "waiting", "sending"));
  const unknown = names(inPhase(items, "storing"));
  if (!notImported && !unknown) return undefined;
  const lines = [
    ...(notImported ? [`Not imported: ${notImported}.`] : []),
    ...(unknown ? [`${unknown} may still complete; check the Trade Log.`] : []),
  ];
  return { title: "The import was stopped.", text: [...lines, SAFE_TO_RETRY].join(" ") };
}
