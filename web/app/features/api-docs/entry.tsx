import { type ReactNode, useEffect, useRef, useState } from "react";

export type EntryProps = {
  id: string;
  hidden: boolean;
  summary: ReactNode;
  /** Drawn once it is opened: all of them together are ten thousand elements. */
  children: () => ReactNode;
};

/** One line that opens to everything about it. */
export function Entry({ id, hidden, summary, children }: EntryProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  // It may have been opened before the script was there.
  useEffect(() => setOpen(details.current?.open ?? false), []);
  return (
    <details
      id={id}
      ref={details}
      hidden={hidden}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="border-line border-b"
    >
      {summary}
      {open && children()}
    </details>
  );
}
