import { useEffect, useRef, useState } from "react";
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

/** Shows the layout of a contract note with names and numbers masked, to check it before it is sent. */
export function LayoutDialog({ file, password, onClose }: LayoutDialogProps) {
  const { result, loading, retry } = useLayout(file, password);
  const [status, setStatus] = useState("");
  const closeButton = useRef<HTMLButtonElement>(null);
  const retryButton = useRef<HTMLButtonElement>(null);
  const mayRetry = result?.kind === "failed" && result.retry;

  useEffect(() => {
    if (loading || !result) return;
    if (result.kind === "read") setStatus("The layout is ready.");
    // The button to try again appears or disappears with a result.
    (retryButton.current ?? closeButton.current)?.focus();
  }, [loading, result]);

  async function copy(text: string) {
    setStatus("");
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
      title="Layout with names and numbers masked"
      className="sm:max-w-3xl!"
      actions={
        <>
          <span
            role="status"
            className="mr-auto self-center text-data text-ink-2 max-sm:not-empty:basis-full"
          >
            {status}
          </span>
          <Button ref={closeButton} variant="secondary" data-autofocus onClick={onClose}>
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
          {mayRetry && (
            <Button ref={retryButton} pending={loading} onClick={retry}>
              Try again
            </Button>
          )}
        </>
      }
    >
      {loading && <p>Reading the layout</p>}
      {!loading && result?.kind === "failed" && (
        <p role="alert" className="text-loss">
          {result.text}
        </p>
      )}
      {result?.kind === "read" && <Layout text={result.text} />}
    </Dialog>
  );
}

/** Loads the layout of a file. While it is loaded again, the last result stays. */
function useLayout(file: File, password: string) {
  const [result, setResult] = useState<LayoutResult>();
  const [loading, setLoading] = useState(true);
  const [tries, setTries] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` repeats the request
  useEffect(() => {
    const controller = new AbortController();
    setLoading(true);
    void loadLayout(file, password, controller.signal).then((loaded) => {
      if (controller.signal.aborted) return;
      setResult(loaded);
      setLoading(false);
    });
    return () => controller.abort();
  }, [file, password, tries]);

  return { result, loading, retry: () => setTries(tries + 1) };
}

function Layout({ text }: { text: string }) {
  return (
    <>
      <p>
        With this text we can teach TradeBahi to read such notes. To make it, our server read your file and
        kept nothing of it. Nobody gets the text unless you send it.
      </p>
      <p>
        These words stay readable: labels that contract notes print, such as Trade Date or Stamp Duty, legal
        names of brokers, Buy and Sell, and DR or CR after an amount. All other text is Xxxx, every number is
        9 with its sign and decimals, and months are Mmm.
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
