import type { CopyProgress } from "#features/trader-journal/trade-notes/copy-trade-notes.ts";
import { plural } from "#lib/format.ts";

/** Says what was copied, and what was not and why. */
export function copiedText({ changed, withoutPosition, full }: CopyProgress): string {
  return [
    changed > 0
      ? `Notes added to ${plural(changed, "position")}.`
      : "The journal has all notes that can be copied.",
    withoutPosition > 0 &&
      `${plural(withoutPosition, "trade belongs", "trades belong")} to no position, such as a sale without its purchase.`,
    full > 0 &&
      `Some notes or tags of ${plural(full, "position")} did not fit. A note has at most 20,000 characters, and a position 20 tags.`,
  ]
    .filter(Boolean)
    .join(" ");
}
