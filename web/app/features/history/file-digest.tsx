import { Check, Copy } from "lucide-react";
import { useState } from "react";

/** Number of hexadecimal digits shown; enough to distinguish a trader's files. */
const SHORT_LENGTH = 8;

/** SHA-256 of an imported file, shortened, with a button that copies it in full. */
export function FileDigest({ sha256 }: { sha256: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    try {
      await navigator.clipboard.writeText(sha256);
      setCopied(true);
    } catch (error) {
      // The clipboard is missing or blocked; the title still shows the digest.
      console.warn("The digest could not be copied.", error);
    }
  }

  return (
    <span className="inline-flex items-center gap-1.5" title={sha256}>
      SHA-256 {sha256.slice(0, SHORT_LENGTH)}
      <button
        type="button"
        aria-label={`Copy the SHA-256 of the file, ${sha256.slice(0, SHORT_LENGTH)}`}
        onClick={() => void copy()}
        className="inline-flex size-6 items-center justify-center rounded-tag hover:bg-sunken hover:text-ink pointer-coarse:size-11"
      >
        {copied ? <Check size={15} className="text-gain" aria-hidden /> : <Copy size={15} aria-hidden />}
      </button>
      <span role="status">{copied && "Copied"}</span>
    </span>
  );
}
