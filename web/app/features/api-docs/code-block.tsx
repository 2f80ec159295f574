import { useState } from "react";

/** Code with a Copy button. It scrolls if it is long, by keyboard too. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState<"yes" | "no">();

  async function copy() {
    // The browser refuses without https or without permission; the text can still be selected.
    setCopied(
      (await navigator.clipboard?.writeText(text).then(
        () => "yes",
        () => "no",
      )) ?? "no",
    );
  }

  return (
    <div className="rounded-panel border border-line bg-sunken">
      <div className="flex items-center justify-between gap-4 border-line border-b pl-4">
        <p className="text-floor text-ink-2">{label}</p>
        <button
          type="button"
          onClick={copy}
          className="h-10 rounded-tag px-4 font-semibold text-data text-ink-2 hover:text-brand"
        >
          {copied === "yes" ? "Copied" : copied === "no" ? "Select and copy" : "Copy"}
          <span className="sr-only"> {label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="max-h-96 overflow-auto p-4">
        <pre className="font-mono text-floor">{text}</pre>
      </section>
    </div>
  );
}
