import * as v from "valibot";

/** As many bytes as the server takes. */
export const MAX_FILE = 32 * 1024 * 1024;
export const FILE_KINDS = ".xlsx,.xls,.csv";

export const NO_FILE = "Please upload an Excel sheet before submitting.";
export const TOO_LARGE = "The file is larger than 32 MiB.";
export const WRONG_KIND = "Choose an .xlsx, .xls or .csv file.";

export const importSchema = v.object({
  broker: v.picklist(["zerodha", "groww"]),
  tradetype: v.picklist(["equity", "fno"]),
  entry: v.picklist(["manual", "excel"]),
  file: v.pipe(
    v.optional(v.instance(File)),
    v.instance(File, NO_FILE),
    v.check((file) => /\.(xlsx|xls|csv)$/i.test(file.name), WRONG_KIND),
    v.check((file) => file.size <= MAX_FILE, TOO_LARGE),
  ),
});

export type ImportFields = v.InferInput<typeof importSchema>;
/** What passed: with a file. */
export type ImportChoice = v.InferOutput<typeof importSchema> & { file: File };
