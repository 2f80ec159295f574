import { addTrade } from "./entries.ts";
import { expect, expectAccessibleEverywhere, deskTest as test } from "./test-fixtures.ts";

test("notes of trades are copied into the journal, found there, and removed by undo", async ({
  account,
  page,
}) => {
  const trade = { symbol: "ITC", price: 430.05, quantity: 10 } as const;
  const notes = "Waited for the retest. #Retest #late-entry";
  await addTrade(account, {
    ...trade,
    type: "buy",
    notes,
    psychology: "Calm",
    timestamp: "2026-02-02T10:15:00+05:30",
  });
  await addTrade(account, {
    ...trade,
    type: "sell",
    notes: "Sold too early.",
    timestamp: "2026-02-02T14:05:00+05:30",
  });
  await addTrade(account, { ...trade, symbol: "LT", type: "buy", timestamp: "2026-02-02T10:20:00+05:30" });

  await page.goto("/journal");
  await page.getByText("2 trades in the Trade Log have notes").click();
  await expectAccessibleEverywhere(page, "trade-notes");
  const copy = page.getByRole("button", { name: "Copy notes into the journal" });
  await copy.click();
  await expect(page.getByRole("status").getByText("Notes added to 1 position.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Notes added to 1 position.")).toBeHidden();
  await page.goto("/journal?tags=late-entry");
  await expect(page.getByRole("status").getByText("0 entries", { exact: true })).toBeVisible();

  await page.goto("/journal");
  await page.getByText("2 trades in the Trade Log have notes").click();
  await copy.click();
  await expect(page.getByText("Notes added to 1 position.")).toBeVisible();
  // Nothing is added twice.
  await page.reload();
  await page.getByText("2 trades in the Trade Log have notes").click();
  await copy.click();
  await expect(page.getByText("The journal has all notes that can be copied.")).toBeVisible();

  await page.goto("/journal?tags=late-entry");
  await expect(page.getByRole("status").getByText("1 entry", { exact: true })).toBeVisible();
  await page.goto("/analytics/trades");
  await page
    .getByRole("region", { name: "List of positions" })
    .getByRole("link", { name: /ITC/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("link", { name: "Open page" }).click();
  await expect(page.getByRole("region", { name: "Note", exact: true })).toContainText(
    `Bought 10 at ₹430.05, 2 Feb 2026, 10:15 am${notes}Psychology: Calm` +
      "Sold 10 at ₹430.05, 2 Feb 2026, 2:05 pmSold too early.",
  );
  await expect(page.getByRole("region", { name: "Tags", exact: true })).toContainText("Retest");
});
