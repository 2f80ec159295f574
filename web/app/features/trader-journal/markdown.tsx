import Markdown from "markdown-to-jsx/react";
import type { ComponentProps } from "react";

const OPTIONS = {
  // Tags in a note are text.
  disableParsingRawHTML: true,
  // A line that begins with a #tag is no heading.
  enforceAtxHeadings: true,
  overrides: {
    // The page has one h1, and each section an h2.
    h1: "h3",
    h2: "h3",
    h3: "h4",
    h4: "h5",
    a: NoteLink,
    // An image would tell another server when the note is read.
    img: ImageText,
  },
} as const;

/** Note in Markdown as React elements. Loaded on demand. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className="journal-text min-w-0 break-words text-base">
      <Markdown options={OPTIONS}>{text}</Markdown>
    </div>
  );
}

function NoteLink({ children, href }: ComponentProps<"a">) {
  return (
    <a href={href} rel="noreferrer" target="_blank" className="text-brand underline">
      {children}
    </a>
  );
}

function ImageText({ alt, src }: ComponentProps<"img">) {
  return <span className="text-ink-3">{alt || src}</span>;
}
