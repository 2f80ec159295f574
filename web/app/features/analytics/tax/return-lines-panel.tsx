import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { FoldedPanel } from "#features/analytics/charts/folded-panel.tsx";
import {
  bySchedule,
  type ReturnLine,
  returnNotes,
  returnText,
  returnTitle,
  type TaxPack,
} from "#features/analytics/tax/return-line-texts.ts";
import { count, inr } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

export type ReturnLinesPanelProps = {
  pack: TaxPack;
  /** Name of the trader, if somebody else reads the tax pack. */
  trader?: string;
};

/** Lines of the income tax return into which the figures of the tax pack go, with a button that copies each amount. */
export function ReturnLinesPanel({ pack, trader }: ReturnLinesPanelProps) {
  const [copied, setCopied] = useState<ReturnLine>();
  const [news, setNews] = useState("");

  async function copy(line: ReturnLine) {
    try {
      await navigator.clipboard.writeText(String(line.amount));
      setCopied(line);
      setNews(`Copied ${line.amount} for line ${line.line} of ${line.schedule}.`);
    } catch (error) {
      console.error(error);
      setCopied(undefined);
      setNews("The amount could not be copied. Select it and copy it there.");
    }
  }

  const hasDividends = pack.returnLines.some(({ schedule }) => schedule === "Schedule OS");
  return (
    <FoldedPanel title={returnTitle(pack)} text={returnText(pack, trader)}>
      {pack.returnLines.length > 0 && (
        <>
          <p className="px-4 pb-4 text-data sm:px-6">
            <LineCount lines={pack.returnLines} />
          </p>
          <ul className="space-y-1.5 px-4 pt-1 pb-4 text-data text-ink-2 sm:px-6">
            {pack.dividends.total > pack.dividends.buybacks && !hasDividends && (
              <li className="border-rule border-l pl-3">
                The dividends that were entered are not in these lines.
              </li>
            )}
            {returnNotes(pack).map((note) => (
              <li key={note} className="border-rule border-l pl-3">
                {note}
              </li>
            ))}
          </ul>
          <p role="status" className="px-4 text-data not-empty:pb-4 sm:px-6">
            {news}
          </p>
          {bySchedule(pack.returnLines).map(([schedule, lines]) => (
            <details key={schedule} className="border-line border-t">
              <summary className="min-h-11 cursor-pointer px-4 py-2.5 text-ui sm:px-6">
                <span className="font-semibold">{schedule}</span>{" "}
                <span className="text-data text-ink-2">
                  <LineCount lines={lines} />
                </span>
              </summary>
              <ul aria-label={schedule} className="px-4 pb-3 sm:px-6">
                {lines.map((line) => (
                  <Line
                    key={`${line.line} ${line.field}`}
                    line={line}
                    isCopied={line === copied}
                    onCopy={() => void copy(line)}
                  />
                ))}
              </ul>
            </details>
          ))}
        </>
      )}
    </FoldedPanel>
  );
}

function LineCount({ lines }: { lines: readonly ReturnLine[] }) {
  const toCheck = lines.filter(({ verified }) => !verified).length;
  return (
    <>
      {lines.length === 1 ? "1 line" : `${count(lines.length)} lines`}
      {toCheck > 0 && `, ${count(toCheck)} to check`}
    </>
  );
}

type LineProps = { line: ReturnLine; isCopied: boolean; onCopy: () => void };

function Line({ line: { line, title, field, amount, verified }, isCopied, onCopy }: LineProps) {
  return (
    <li className="flex flex-wrap items-center justify-end gap-x-4 gap-y-1 border-line border-t py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        <p className="text-data">
          <span className="font-semibold">{line}</span> {title}
          {!verified && (
            <span className="ml-2 rounded-tag bg-warn-soft px-1.5 font-semibold text-floor text-warn">
              Check
            </span>
          )}
        </p>
        <p className="wrap-anywhere text-floor text-ink-2">{field}</p>
      </div>
      <span className="figures text-data">{inr(amount)}</span>
      <Button
        variant="secondary"
        size="sm"
        icon={isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        onClick={onCopy}
        data-print="no"
      >
        Copy<span className="sr-only">{` ${amount} for line ${line}`}</span>
      </Button>
    </li>
  );
}
