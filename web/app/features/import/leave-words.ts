import { AGAIN } from "#features/import/import-failure.ts";
import { type ImportItem, inPhase } from "#features/import/import-item.ts";

const names = (items: readonly ImportItem[]) => items.map(({ name }) => name).join(", ");

/** What a trader breaks off who leaves now. */
export function underWay(items: readonly ImportItem[]): string {
  return names(inPhase(items, "waiting", "sending", "storing"));
}

/** What has become of it; undefined where nothing was under way any more. */
export function brokenOff(items: readonly ImportItem[]): { title: string; text: string } | undefined {
  const not = names(inPhase(items, "waiting", "sending"));
  const perhaps = names(inPhase(items, "storing"));
  if (!not && !perhaps) return undefined;
  const lines = [
    ...(not ? [`Not imported: ${not}.`] : []),
    ...(perhaps ? [`${perhaps} may still be completed; the Trade Log shows it.`] : []),
  ];
  return { title: "The import was broken off.", text: [...lines, AGAIN].join(" ") };
}
