import { unzip } from "fflate";

/** Limit of a file, also after it was unpacked; the largest price file has about 10 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Returns the texts of a CSV file, or of those in a ZIP file. Rejects larger ones. */
export async function readPriceTexts(file: File): Promise<string[]> {
  if (file.size > MAX_BYTES) throw new RangeError(`${file.name} is too large`);
  if (!/\.zip$/i.test(file.name)) return [await file.text()];
  const packed = new Uint8Array(await file.arrayBuffer());
  const files = await new Promise<Record<string, Uint8Array>>((resolve, reject) => {
    unzip(
      packed,
      { filter: ({ name, originalSize }) => /\.csv$/i.test(name) && originalSize <= MAX_BYTES },
      (error, unpacked) => (error ? reject(error) : resolve(unpacked)),
    );
  });
  return Object.values(files).map((bytes) => new TextDecoder().decode(bytes));
}
