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

/** Shows the layout of a contract note with names and numbers hidden, to check it before it is sent. */
export function LayoutDialog({ file, password, onClose }: LayoutDialogProps) {
  const { result, loading, retry } = useLayout(file, password);
  const [status, setStatus] = useState("");
  const closeButton = useRef<HTMLButtonElement>(null);
  const retryButton = useRef<HTMLButtonElement>(null);
  const mayRetry = result?.kind === "failed" && result.retry;

  useEffect(() => {
    if (loading || !result) return;
    if (result.kind === "read") setStatus("The text is ready.");
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
      title="Your note with names and numbers hidden"
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
      {loading && <p>Reading your note</p>}
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
        With this text we can make TradeBahi read such notes. Our server read your file to make it, and then
        deleted both. We see the text only if you email it.
      </p>
      <p>
        1,234.50 becomes 9.99, and names become Xxxx. The text still shows the labels of the note and the name
        of your broker, how many trades there are, which are Buy or Sell, and where text stands on the page.
      </p>
      <p>
        <strong>Look for your name, client code, PAN and shares.</strong> If you see one, do not send it.
      </p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        aria-label="Text of your note"
        className="max-h-[45dvh] min-h-24 overflow-auto rounded-panel border border-line bg-sunken p-4"
      >
        <pre className="font-mono text-floor text-ink">{text}</pre>
      </section>
      <p className="wrap-anywhere">
        To send it, write to{" "}
        <a href={MAIL_ADDRESS} className="font-semibold text-ink underline">
          {SITE.email}
        </a>
        . Paste the text or attach the file, and add the name of your broker. Your email shows us your
        address.
      </p>
    </>
  );
}
