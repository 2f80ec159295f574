/** Upload limit of the server. */
export const MAX_UPLOAD_BYTES = 32 * 1024 * 1024;
/** Limit of the server for PDF documents. */
export const MAX_PDF_BYTES = 8 * 1024 * 1024;
export const FILE_KINDS = ".xlsx,.xls,.csv";
/** Kinds of files with trades: sheets and contract notes. */
export const TRADE_FILE_KINDS = `${FILE_KINDS},.pdf`;

export const TOO_LARGE = "The file is larger than 32 MiB.";
export const PDF_TOO_LARGE = "The PDF is larger than 8 MiB. Upload its contract notes in parts.";
const WRONG_KIND = "Choose an .xlsx, .xls or .csv file.";
export const WRONG_TRADE_FILE_KIND = "Choose an .xlsx, .xls or .csv file, or a contract note as .pdf.";

type NameAndSize = Pick<File, "name" | "size">;

/** Returns the reason why a sheet cannot be uploaded; undefined if it can. */
export function checkSheetFile(file: NameAndSize): string | undefined {
  return /\.(xlsx|xls|csv)$/i.test(file.name) ? checkSize(file) : WRONG_KIND;
}

/** Returns the reason why a file with trades cannot be uploaded; undefined if it can. */
export function checkTradeFile(file: NameAndSize): string | undefined {
  if (/\.pdf$/i.test(file.name)) return file.size > MAX_PDF_BYTES ? PDF_TOO_LARGE : undefined;
  return /\.(xlsx|xls|csv)$/i.test(file.name) ? checkSize(file) : WRONG_TRADE_FILE_KIND;
}

function checkSize({ size }: NameAndSize): string | undefined {
  return size > MAX_UPLOAD_BYTES ? TOO_LARGE : undefined;
}
