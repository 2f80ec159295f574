import { expect, type Page } from "@playwright/test";

export function tradeTable(page: Page) {
  return page.getByRole("table", { name: "Trades" });
}

/** Rows of the table that exist at this moment, the head aside. */
export function tableRows(page: Page) {
  return tradeTable(page).locator("tbody tr[aria-rowindex]");
}

/** Every row of the log, read as one reads it: by scrolling to its end. */
export async function readTable(page: Page): Promise<string[][]> {
  const table = tradeTable(page);
  await expect(table).toBeVisible();
  const total = Number(await table.getAttribute("aria-rowcount")) - 1;
  const rows: string[][] = [];
  while (rows.length < total) {
    const next = rows.length + 2;
    // Of the rows that exist, the first that was not read; those before it scroll out of being.
    const row = table.locator(`tr[aria-rowindex="${next}"]`);
    await row.scrollIntoViewIfNeeded();
    await expect(row).not.toContainText("Loading");
    const seen = await tableRows(page).evaluateAll((elements) =>
      elements.map((element) => ({
        index: Number(element.getAttribute("aria-rowindex")),
        cells: Array.from(element.querySelectorAll("td"), (cell) => cell.textContent.trim()),
      })),
    );
    for (const { index, cells } of seen) if (index === rows.length + 2) rows.push(cells);
    await table.locator(`tr[aria-rowindex="${rows.length + 1}"]`).scrollIntoViewIfNeeded();
  }
  return rows;
}

/** Chooses a file under Add Trades and sends it. */
export async function submitFile(
  page: Page,
  file: Parameters<ReturnType<Page["getByLabel"]>["setInputFiles"]>[0],
  broker: "Zerodha" | "Groww" = "Zerodha",
): Promise<void> {
  // The filters of the log have such a label as well, and leave a moment after the press that led here.
  const form = page.getByRole("region", { name: "Add Trades" });
  await form.getByLabel("Broker").selectOption({ label: broker });
  await form.getByLabel("Excel sheet").setInputFiles(file);
  await form.getByRole("button", { name: "Submit Trades" }).click();
}
