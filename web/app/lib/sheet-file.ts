/** Upload limit of the server. */
export const MAX_UPLOAD_BYTES = 32 * 1024 * 1024;
export const FILE_KINDS = ".xlsx,.xls,.csv";

export const TOO_LARGE = "The file is larger than 32 MiB.";
export const WRONG_KIND = "Choose an .xlsx, .xls or .csv file.";

/** Returns the reason why a file cannot be uploaded; undefined if it can. */
export function checkSheetFile({ name, size }: Pick<File, "name" | "size">): string | undefined {
  if (!/\.(xlsx|xls|csv)$/i.test(name)) return WRONG_KIND;
  return size > MAX_UPLOAD_BYTES ? TOO_LARGE : undefined;
}
