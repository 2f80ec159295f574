import { Fragment } from "react";
import type { TypePart } from "../../../api-reference/build-reference.ts";

/** Shows a description; text between backticks is code. */
export function FormattedText({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      // The parts of one text never change their order.
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

/** Shows a type, with a link to each schema in it. */
export function TypeText({ parts }: { parts: readonly TypePart[] }) {
  return parts.map(({ text, schema }, index) =>
    schema ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one type never change their order
      <a key={index} href={`#${schema}`} className="text-brand underline underline-offset-2">
        {text}
      </a>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one type never change their order
      <Fragment key={index}>{text}</Fragment>
    ),
  );
}
