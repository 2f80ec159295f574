import type { Opening } from "#content/openings.ts";
import { count } from "#lib/format.ts";

/** Returns an amount or a range: "₹20,000" or "₹25,000–30,000". */
export function perMonth({ min, max }: Opening["salary"]): string {
  return min === max ? `₹${count(min)}` : `₹${count(min)}–${count(max)}`;
}

/** Shows a text with amounts; the ₹ signs are less prominent than the figures. */
export function Rupees({ text }: { text: string }) {
  const [before, ...after] = text.split("₹");
  return (
    <>
      {before}
      {after.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change their order
        <span key={index}>
          <span className="font-normal text-ink-3">₹</span>
          {part}
        </span>
      ))}
    </>
  );
}
