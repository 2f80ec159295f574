import { isProblem } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** Failure of an import, with the state of the trades. */
export type ImportFailure = {
  title: string;
  text: string;
  /** True if the same request may succeed later. */
  retry: boolean;
  /** True if the server may have imported the file. */
  maybeStored: boolean;
  /** True if the file may be a table whose columns the trader can name. */
  mappable?: boolean;
  /** True if the file needs a password, or was not opened by the given one. */
  needsPassword?: boolean;
  /** True if the file may be a contract note in a layout that is not read. */
  hasLayout?: boolean;
};

/** Causes of the rejection of a contract note whose text was read. */
const LAYOUT_CAUSES = ["pdf", "note_check_failed", "note_part_missing"];

const UPLOAD_FAILED = "Error uploading file.";
export const SAFE_TO_RETRY = "You can import it again: no trade is added twice.";

/**
 * Returns true if the server rejected the request because of load, before it did anything. Other 503 responses do not
 * count: a connection inside the server may be lost after the import was stored.
 */
export function isOverloaded(status: number, body: unknown): boolean {
  return status === 429 || (status === 503 && isProblem(body) && body.code === "busy");
}

/** Returns the failure for an error response, with the server's message if it has one. Checks and 4xx store nothing. */
export function rejectedFailure(
  status: number,
  body: unknown,
  { seconds, storing }: { seconds: number | undefined; storing: boolean },
): ImportFailure {
  const title = isProblem(body) && body.detail ? body.detail : UPLOAD_FAILED;
  if (isOverloaded(status, body) || (status === 503 && !storing)) {
    const when = seconds ? `in ${wait(seconds)}` : "in a moment";
    return { title, text: `Nothing was imported. Try again ${when}.`, retry: true, maybeStored: false };
  }
  if (status < 500)
    return {
      title,
      text: "Nothing was imported. Your file is still selected.",
      // The email address may be confirmed meanwhile, even on another device.
      retry: isProblem(body) && body.code === "too_many_unconfirmed_trades",
      maybeStored: false,
      ...(isProblem(body) && body.code === "file_not_supported" && { mappable: true }),
      ...(isProblem(body) && body.code === "file_password_needed" && { needsPassword: true }),
      ...(isProblem(body) && LAYOUT_CAUSES.includes(body.cause ?? "") && { hasLayout: true }),
    };
  // Storage full: the server's message states that nothing was changed.
  if (status === 507) return { title, text: "Your file is still selected.", retry: true, maybeStored: false };
  if (!storing) return { title, text: "Nothing was imported.", retry: true, maybeStored: false };
  return {
    title,
    text: `Nothing was imported as far as we know. ${SAFE_TO_RETRY}`,
    retry: true,
    maybeStored: true,
  };
}

/** Returns the failure for a request without a response: the connection was lost, or the server took too long. */
export function noResponseFailure(storing: boolean): ImportFailure {
  const text = storing
    ? `The server did not respond, so we do not know whether it was imported. ${SAFE_TO_RETRY}`
    : "The connection was lost. Nothing was imported.";
  return { title: UPLOAD_FAILED, text, retry: true, maybeStored: storing };
}

/** The server no longer has the preview: it was stored for an hour, or the file was imported. */
export const PREVIEW_EXPIRED: ImportFailure = {
  title: "The check of this file has expired.",
  text: "A check lasts one hour, or until the file is imported. Check the Trade Log, then choose the file again.",
  retry: false,
  maybeStored: true,
};

/** An earlier try imported the file, and the import was undone since. */
export const IMPORT_UNDONE: ImportFailure = {
  title: "This import was undone.",
  text: "Its trades are not in the Trade Log. Choose the file again to import them.",
  retry: false,
  maybeStored: false,
};

/** Returns the text for an import that the trader cancelled. */
export function cancelledText(storing: boolean): string {
  return storing
    ? `The import may still complete. Check the Trade Log. ${SAFE_TO_RETRY}`
    : "Nothing was imported.";
}
