/** As many bytes as the server takes. */
export const MAX_FILE = 32 * 1024 * 1024;
export const FILE_KINDS = ".xlsx,.xls,.csv";

export const TOO_LARGE = "The file is larger than 32 MiB.";
export const WRONG_KIND = "Choose an .xlsx, .xls or .csv file.";

/** Why a file of a broker cannot be taken; undefined when it can. */
export function refusal({ name, size }: Pick<File, "name" | "size">): string | undefined {
  if (!/\.(xlsx|xls|csv)$/i.test(name)) return WRONG_KIND;
  return size > MAX_FILE ? TOO_LARGE : undefined;
}
