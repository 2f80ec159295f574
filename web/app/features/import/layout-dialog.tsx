import { useEffect, useState } from "react";
import { SITE } from "#content/site.ts";
import { type LayoutResult, loadLayout } from "#features/import/load-layout.ts";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

export type LayoutDialogProps = {
  file: File;
  /** Password of the file; empty if it needs none. */
  password: string;
  onClose: () => void;
};

const FILE_NAME = "contract-note-layout.txt";
const MAIL_ADDRESS = `mailto:${SITE.email}?subject=${encodeURIComponent("Layout of a contract note")}`;

/** Shows the layout of a contract note without its data, to check it before it is sent. */
export function LayoutDialog({ file, password, onClose }: LayoutDialogProps) {
  const [result, setResult] = useState<LayoutResult>();
  const [tries, setTries] = useState(0);
  const [status, setStatus] = useState("");

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` repeats the request
  useEffect(() => {
    const controller = new AbortController();
    setResult(undefined);
    void loadLayout(file, password, controller.signal).then((loaded) => {
      if (!controller.signal.aborted) setResult(loaded);
    });
    return () => controller.abort();
  }, [file, password, tries]);

  async function copy(text: string) {
    try {
      await navigator.clipboard.writeText(text);
      setStatus("Copied.");
    } catch (error) {
      console.warn("The layout could not be copied.", error);
      setStatus("The text could not be copied. Download it instead.");
    }
  }

  function download(text: string) {
    saveFile(FILE_NAME, new Blob([text], { type: "text/plain;charset=utf-8" }));
    setStatus(`Saved as ${FILE_NAME}.`);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Layout without your data"
      className="sm:max-w-3xl!"
      actions={
        <>
          <span
            role="status"
            className="mr-auto self-center text-data text-ink-2 empty:hidden max-sm:basis-full"
          >
            {status}
          </span>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Close
          </Button>
          {result?.kind === "read" && (
            <>
              <Button variant="secondary" onClick={() => download(result.text)}>
                Download
              </Button>
              <Button onClick={() => void copy(result.text)}>Copy</Button>
            </>
          )}
          {result?.kind === "failed" && <Button onClick={() => setTries(tries + 1)}>Try again</Button>}
        </>
      }
    >
      {!result && <p role="status">Reading the layout</p>}
      {result?.kind === "failed" && (
        <p role="alert" className="text-loss">
          {result.text}
        </p>
      )}
      {result?.kind === "read" && <Layout text={result.text} />}
    </Dialog>
  );
}

function Layout({ text }: { text: string }) {
  return (
    <>
      <p>
        With this text we can teach TradeBahi to read such notes. It has not been sent to anyone, and your
        file is not stored.
      </p>
      <p>
        Masked: every digit is 9, and every letter is x, except labels that contract notes print. Months are
        Mmm. Words and numbers keep their length.
      </p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        aria-label="Layout of the contract note"
        className="max-h-[45dvh] min-h-24 overflow-auto rounded-panel border border-line bg-sunken p-4"
      >
        <pre className="font-mono text-floor text-ink">{text}</pre>
      </section>
      <p className="wrap-anywhere">
        Read it through, then email it to{" "}
        <a href={MAIL_ADDRESS} className="font-semibold text-ink underline">
          {SITE.email}
        </a>{" "}
        with the name of your broker.
      </p>
    </>
  );
}
