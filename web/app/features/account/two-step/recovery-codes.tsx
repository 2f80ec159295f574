import { useEffect, useRef, useState } from "react";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";

export type RecoveryCodesProps = { codes: string[]; onDone: () => void };

/** Shows new recovery codes, which the server never shows again. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const [status, setStatus] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  async function copy() {
    try {
      await navigator.clipboard.writeText(codes.join("\n"));
      setStatus("Copied.");
    } catch (error) {
      console.error(error);
      setStatus("The codes could not be copied. Download or print them.");
    }
  }

  function download() {
    const text = `TradeBahi recovery codes. Each works once.\n\n${codes.join("\n")}\n`;
    saveFile("tradebahi-recovery-codes.txt", new Blob([text], { type: "text/plain" }));
    setStatus("Downloaded.");
  }

  return (
    <div className="mt-4 rounded-panel border border-line bg-surface p-4 sm:p-5">
      <h3 ref={heading} tabIndex={-1} className="font-semibold">
        Save your recovery codes
      </h3>
      <p className="mt-1 text-ink-2 text-ui">
        If you lose your phone, each code logs you in once. Keep them in a safe place. They are not shown
        again.
      </p>
      <ul className="figures mt-3 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap gap-3">
        <Button variant="secondary" size="sm" onClick={copy}>
          Copy
        </Button>
        <Button variant="secondary" size="sm" onClick={download}>
          Download
        </Button>
        <Button variant="secondary" size="sm" onClick={() => window.print()}>
          Print
        </Button>
        <Button size="sm" onClick={onDone}>
          I saved them
        </Button>
      </div>
      <p role="status" className="text-ink-2 text-ui not-empty:mt-3">
        {status}
      </p>
    </div>
  );
}
