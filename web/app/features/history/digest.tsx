import { Check, Copy } from "lucide-react";
import { useState } from "react";

/** As many digits as tell a trader's files apart at a glance. */
const SHORT = 8;

/** What tells this very file from any other: short to look at, whole to copy. */
export function Digest({ sha256 }: { sha256: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    try {
      await navigator.clipboard.writeText(sha256);
      setCopied(true);
    } catch (error) {
      // No clipboard here, or none for us: the title still holds it.
      console.warn("The digest could not be copied.", error);
    }
  }

  return (
    <span className="inline-flex items-center gap-1.5" title={sha256}>
      SHA-256 {sha256.slice(0, SHORT)}
      <button
        type="button"
        aria-label={`Copy the SHA-256 of the file, ${sha256.slice(0, SHORT)}`}
        onClick={() => void copy()}
        className="inline-flex size-6 items-center justify-center rounded-tag hover:bg-sunken hover:text-ink pointer-coarse:size-11"
      >
        {copied ? <Check size={15} className="text-gain" aria-hidden /> : <Copy size={15} aria-hidden />}
      </button>
      <span role="status">{copied && "Copied"}</span>
    </span>
  );
}
