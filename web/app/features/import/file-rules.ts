/** As many bytes as the server takes. */
export const MAX_FILE = 32 * 1024 * 1024;
/** Each is read and stored: two requests of the 24 that the server takes in a row. */
export const MAX_FILES = 12;
export const FILE_KINDS = ".xlsx,.xls,.csv";

export const NO_FILE = "Please upload an Excel sheet before submitting.";
export const TOO_LARGE = "The file is larger than 32 MiB.";
export const WRONG_KIND = "Choose an .xlsx, .xls or .csv file.";
export const TOO_MANY = `At most ${MAX_FILES} files at once. The others were not taken.`;

type Named = Pick<File, "name" | "size">;

/** Why a file cannot be taken; undefined when it can. */
export function refusal({ name, size }: Named): string | undefined {
  if (!/\.(xlsx|xls|csv)$/i.test(name)) return WRONG_KIND;
  return size > MAX_FILE ? TOO_LARGE : undefined;
}

/** What to say of all that was chosen at once; the name, where there is more than one. */
export function refusals(files: readonly Named[]): string | undefined {
  const said = files.flatMap((file) => {
    const why = refusal(file);
    return why ? [files.length > 1 ? `${file.name}: ${why}` : why] : [];
  });
  return said.length > 0 ? said.join(" ") : undefined;
}
