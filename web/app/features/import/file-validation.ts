import { checkTradeFile } from "#lib/sheet-file.ts";

/** Files per import: contract notes of a year, and some more. The server accepts 800 previews in a row. */
export const MAX_FILES = 400;

export const NO_FILE = "Please upload an Excel sheet before submitting.";
export const TOO_MANY = `At most ${MAX_FILES} files at once. The others were not added.`;

/** Returns the messages for rejected files, with their names if several were chosen; undefined if all are valid. */
export function fileErrors(files: readonly Pick<File, "name" | "size">[]): string | undefined {
  const messages = files.flatMap((file) => {
    const message = checkTradeFile(file);
    return message ? [files.length > 1 ? `${file.name}: ${message}` : message] : [];
  });
  return messages.length > 0 ? messages.join(" ") : undefined;
}
