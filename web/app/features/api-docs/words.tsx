import { Fragment } from "react";
import type { Word } from "../../../api-reference/read-contract.ts";

/** Words of the contract, in which what stands between backticks is code. */
export function Words({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // The parts of one text never change places.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <code key={index} className="rounded-tag bg-sunken px-1 py-px font-mono text-[0.9em] text-ink">
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}

/** A type, with a link to each schema in it. */
export function TypeWords({ words }: { words: readonly Word[] }) {
  return words.map(({ text, schema }, index) =>
    schema ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of one type never change places
      <a key={index} href={`#${schema}`} className="text-brand underline underline-offset-2">
        {text}
      </a>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of one type never change places
      <Fragment key={index}>{text}</Fragment>
    ),
  );
}
