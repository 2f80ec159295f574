import type { ReactNode } from "react";

type PhoneDetailsProps = {
  /** Line that opens the content. */
  summary: string;
  children: ReactNode;
};

/** Content that is closed on phones at first; on wider screens it is open, and its line is hidden. */
export function PhoneDetails({ summary, children }: PhoneDetailsProps) {
  return (
    <details ref={openIfWide}>
      <summary className="border-line border-t px-4 py-3 font-semibold sm:[[open]>&]:hidden">
        {summary}
      </summary>
      {children}
    </details>
  );
}

/** Called once, so that turning the phone does not close the content. */
function openIfWide(details: HTMLDetailsElement | null) {
  if (details) details.open = innerWidth >= 640;
}
