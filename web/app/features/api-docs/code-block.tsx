import { useState } from "react";

/** Lines to be read or copied. Long ones scroll, by keyboard too. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState<"yes" | "no">();

  async function copy() {
    // Without https, or where it is forbidden, the browser refuses: the lines can still be marked.
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
          {copied === "yes" ? "Copied" : copied === "no" ? "Mark and copy it" : "Copy"}
          <span className="sr-only"> {label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section tabIndex={0} aria-label={label} className="max-h-96 overflow-auto p-4">
        <pre className="font-mono text-floor">{text}</pre>
      </section>
    </div>
  );
}
