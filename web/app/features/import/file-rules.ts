import { refusal } from "#lib/sheet-file.ts";

/** Each is read and stored: two requests of the 24 that the server takes in a row. */
export const MAX_FILES = 12;

export const NO_FILE = "Please upload an Excel sheet before submitting.";
export const TOO_MANY = `At most ${MAX_FILES} files at once. The others were not taken.`;

/** What to say of all that was chosen at once; the name, where there is more than one. */
export function refusals(files: readonly Pick<File, "name" | "size">[]): string | undefined {
  const said = files.flatMap((file) => {
    const why = refusal(file);
    return why ? [files.length > 1 ? `${file.name}: ${why}` : why] : [];
  });
  return said.length > 0 ? said.join(" ") : undefined;
}
