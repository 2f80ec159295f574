import { type ReactNode, useEffect, useRef, useState } from "react";

export type ReferenceEntryProps = {
  id: string;
  hidden: boolean;
  summary: ReactNode;
  /** Rendered only while open: all entries together have ten thousand elements. */
  children: () => ReactNode;
};

/** Collapsible entry of an operation or a schema. */
export function ReferenceEntry({ id, hidden, summary, children }: ReferenceEntryProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  // The user may have opened it before hydration.
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
