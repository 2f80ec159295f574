import type { Opening } from "#content/openings.ts";
import { count } from "#lib/format.ts";

/** ₹20,000, or ₹25,000–30,000. */
export function perMonth({ min, max }: Opening["salary"]): string {
  return min === max ? `₹${count(min)}` : `₹${count(min)}–${count(max)}`;
}

/** Words about money: the ₹ steps back behind the figure. */
export function Rupees({ text }: { text: string }) {
  const [before, ...after] = text.split("₹");
  return (
    <>
      {before}
      {after.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, which never move
        <span key={index}>
          <span className="font-normal text-ink-3">₹</span>
          {part}
        </span>
      ))}
    </>
  );
}
