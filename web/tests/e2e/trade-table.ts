import { expect, type Page } from "@playwright/test";

export function tradeTable(page: Page) {
  return page.getByRole("table", { name: "Trades" });
}

/** The rendered rows of the table, without the header. */
export function tableRows(page: Page) {
  return tradeTable(page).locator("tbody tr[aria-rowindex]");
}

/** Reads every row of the log by scrolling to its end. */
export async function readTable(page: Page): Promise<string[][]> {
  const table = tradeTable(page);
  await expect(table).toBeVisible();
  const total = Number(await table.getAttribute("aria-rowcount")) - 1;
  const rows: string[][] = [];
  while (rows.length < total) {
    const next = rows.length + 2;
    // The first rendered row that was not read yet; rows above it are removed while scrolling.
    const row = table.locator(`tr[aria-rowindex="${next}"]`);
    await row.scrollIntoViewIfNeeded();
    await expect(row).not.toContainText("Loading");
    const rendered = await tableRows(page).evaluateAll((elements) =>
      elements.map((element) => ({
        index: Number(element.getAttribute("aria-rowindex")),
        cells: Array.from(element.querySelectorAll("td"), (cell) => cell.textContent.trim()).slice(0, 6),
      })),
    );
    for (const { index, cells } of rendered) if (index === rows.length + 2) rows.push(cells);
    await table.locator(`tr[aria-rowindex="${rows.length + 1}"]`).scrollIntoViewIfNeeded();
  }
  return rows;
}

/** Chooses a file in the Add Trades form and submits it. */
export async function submitFile(
  page: Page,
  file: Parameters<ReturnType<Page["getByLabel"]>["setInputFiles"]>[0],
  broker: "Zerodha" | "Groww" = "Zerodha",
): Promise<void> {
  // The filters of the log also have this label and disappear only shortly after the navigation.
  const form = page.getByRole("region", { name: "Add Trades" });
  await form.getByLabel("Broker").selectOption({ label: broker });
  await form.getByLabel("Excel sheet").setInputFiles(file);
  await form.getByRole("button", { name: "Submit Trades" }).click();
}
