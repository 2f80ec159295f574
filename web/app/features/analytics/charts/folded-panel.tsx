import type { PanelProps } from "#features/analytics/charts/panel.tsx";

export type FoldedPanelProps = Pick<PanelProps, "title" | "text" | "tools" | "children">;

/** Section of the page that shows only its headline until it is opened; it is printed open. */
export function FoldedPanel({ title, text, tools, children }: FoldedPanelProps) {
  return (
    <details className="mt-5 rounded-panel border border-line bg-surface">
      <summary className="min-h-11 cursor-pointer px-4 py-3 sm:px-6">
        <h2 className="inline text-h4">{title}</h2>
      </summary>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-4 pb-4 sm:px-6">
        <p className="min-w-0 flex-1 basis-44 text-data text-ink-2">{text}</p>
        {tools && <div data-print="no">{tools}</div>}
      </div>
      {children}
    </details>
  );
}
