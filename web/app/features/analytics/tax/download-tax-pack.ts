import type { Reader } from "#features/analytics/reader.ts";
import { api } from "#lib/api.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { saveFile } from "#lib/save-file.ts";

/** The file of a financial year onto the reader's machine; a sentence when it does not get there. */
export async function downloadTaxPack(
  year: string,
  format: "csv" | "xlsx",
  { init }: Reader,
): Promise<string | undefined> {
  try {
    const { data, error, response } = await api.GET("/analytics/tax/export", {
      params: { query: { year, format } },
      parseAs: "blob",
      ...init,
    });
    if (!data) return failureLine(response, error);
    saveFile(`tradebahi-tax-${year}.${format}`, data);
    return undefined;
  } catch (error) {
    console.error(error);
    return NO_ANSWER;
  }
}
