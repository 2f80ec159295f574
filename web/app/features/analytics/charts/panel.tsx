import clsx from "clsx";
import { Table2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button } from "#ui/button.tsx";

export type PanelProps = {
  /** Anchor of the section. */
  id?: string;
  /** Headline that states a result. */
  title: string;
  text?: ReactNode;
  /** Buttons right of the title. */
  tools?: ReactNode;
  className?: string;
  children: ReactNode;
};

/** Section of the page: a headline, then the data. */
export function Panel({ id, title, text, tools, className, children }: PanelProps) {
  const heading = useId();
  return (
    <section
      id={id}
      aria-labelledby={heading}
      className={clsx("rounded-panel border border-line bg-surface", className)}
    >
      <header className="break-after-avoid flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-4 pt-5 pb-4 sm:px-6 sm:pt-6">
        <div className="min-w-0 flex-1 basis-44">
          <h2 id={heading} tabIndex={-1} className="text-h4 outline-none">
            {title}
          </h2>
          {text && <div className="mt-1.5 text-data text-ink-2">{text}</div>}
        </div>
        {tools && (
          <div className="flex flex-wrap gap-2" data-print="no">
            {tools}
          </div>
        )}
      </header>
      {children}
    </section>
  );
}

export type ChartPanelProps = Omit<PanelProps, "children"> & {
  chart: ReactNode;
  /** Renders the same values as a table; called only when the table is shown. */
  table: () => ReactNode;
};

/** Panel with a chart and a button that shows its values as a table. */
export function ChartPanel({ chart, table, tools, ...panel }: ChartPanelProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Panel
      {...panel}
      className={clsx("print:break-inside-avoid", panel.className)}
      tools={
        <>
          {tools}
          <Button
            variant="secondary"
            size="sm"
            aria-pressed={asTable}
            icon={<Table2 size={16} aria-hidden />}
            onClick={() => setAsTable(!asTable)}
            className="px-3! text-data!"
          >
            <span className="max-sm:sr-only">Show as table</span>
          </Button>
        </>
      }
    >
      {asTable ? table() : chart}
    </Panel>
  );
}
