import { type LogView, viewQuery } from "#features/trades/log-view.ts";
import { api } from "#lib/api.ts";
import { istDate } from "#lib/format.ts";
import { attachedName, saveFile } from "#lib/save-file.ts";

/** What the view shows, in its order, as a file on the reader's machine. Throws what the server answered if not. */
export async function exportTrades(view: LogView, format: "csv" | "xlsx"): Promise<void> {
  const { data, error, response } = await api.GET("/trades/export", {
    params: { query: { format, ...viewQuery(view) } },
    parseAs: "blob",
  });
  if (!data) throw error ?? new Error("The server gave no answer.");
  const name = `tradebahi-trades-${istDate(new Date().toISOString())}.${format}`;
  saveFile(attachedName(response) ?? name, data);
}
