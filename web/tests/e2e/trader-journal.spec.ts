import type { Page } from "@playwright/test";
import { bearer } from "./accounts.ts";
import { workingDay, writeTradebook } from "./analytics-book.ts";
import { importYear, openNewestPosition, YEAR } from "./journal-book.ts";
import { deskTest, expect, expectAccessible, expectAccessibleEverywhere } from "./test-fixtures.ts";
import { submitFile } from "./trade-table.ts";

/** Adds a label by the field behind "New". */
async function addLabel(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^New ?: ${label}$`) }).click();
  await page.getByRole("combobox", { name: `New: ${label}`, exact: true }).fill(name);
  await page.keyboard.press("Enter");
}

deskTest("fifty positions are reviewed by keyboard in less than four minutes", async ({ page, account }) => {
  deskTest.slow();
  await importYear(account);
  await page.goto("/journal/review");
  await expect(page.getByText("100 or more left, 0 done")).toBeVisible();
  await addLabel(page, "Setup", "Opening range");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("button", { name: /^Opening range/ })).toBeVisible();
  await expectAccessibleEverywhere(page, "review");

  const started = Date.now();
  for (let position = 1; position <= 50; position++) {
    await expect(page.getByText(`${position} of 100 or more`)).toBeVisible();
    // The setup, on every second position a mistake, the rating, next.
    for (const key of ["1", ...(position % 2 ? ["q"] : []), "r", String(1 + (position % 5)), "Enter"])
      await page.keyboard.press(key);
  }
  await expect(page.getByText("50 or more left, 50 done")).toBeVisible();
  expect(Date.now() - started).toBeLessThan(4 * 60_000);

  // Back to the last one: everything is stored.
  await page.keyboard.press("k");
  await expect(page.getByText("50 of 100 or more")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Opening range/ })).toHaveAttribute("aria-pressed", "true");
  await page.goto("/journal?setup=Opening+range");
  await expect(page.getByRole("status").getByText("50 entries")).toBeVisible();
  await page.goto("/journal/review");
  await expect(page.getByText("50 or more left, 0 done")).toBeVisible();
});

deskTest(
  "a hundred positions are tagged at once, found by two words, and undone",
  async ({ page, account }) => {
    deskTest.slow();
    await importYear(account);
    await page.goto("/journal/review");
    await page.getByRole("checkbox", { name: "Select all" }).check();
    await expect(page.getByText("100 positions selected")).toBeVisible();
    await addLabel(page, "tag for the selected positions", "gap-up");
    await expect(page.getByText("100 positions: tag gap-up added")).toBeVisible();

    await page
      .getByRole("checkbox", { name: /^Select INFY/ })
      .first()
      .check();
    await addLabel(page, "mistake for the selected positions", "FOMO");
    await expect(page.getByText("1 position: mistake FOMO added")).toBeVisible();
    await page.getByRole("link", { name: "Days" }).click();
    await page.getByRole("searchbox", { name: "Search the journal" }).fill("gap-up AND fomo");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").getByText("1 entry", { exact: true })).toBeVisible();
    await page.getByRole("searchbox", { name: "Search the journal" }).fill("gap-up");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").getByText("100 entries", { exact: true })).toBeVisible();
    // A third of the positions lost 150, the others made 200, before charges.
    const results = page.getByRole("search");
    await expect(results).toContainText(/Net P&L, after charges\+\u2060₹[\d,.]+Closed100 positions/);
    await expect(results).toContainText(/Win rate6[67]\.\d% \(\d\d\.\d to \d\d\.\d\)/);
    await page.getByText("Group these entries").click();
    await expect(results.getByRole("button", { name: /^FOMO .*₹[\d,.]+ 1 entry$/ })).toBeVisible();
    await expectAccessibleEverywhere(page, "search");

    await page.goto("/journal/review");
    await page.getByText("Earlier edits").click();
    await page.getByRole("button", { name: "Undo the edit of 100 entries" }).click();
    await expect(page.getByRole("button", { name: "Undo the edit of 100 entries" })).toBeHidden();
    await page.goto("/journal?q=gap-up");
    await expect(page.getByRole("status").getByText("0 entries", { exact: true })).toBeVisible();
    await page.goto("/journal?mistakes=FOMO");
    await expect(page.getByRole("status").getByText("1 entry", { exact: true })).toBeVisible();
  },
);

deskTest("a day has a plan, facts from the log and a review", async ({ page, account }) => {
  await importYear(account);
  await page.goto("/journal");
  await page.goto(`/journal/${workingDay(2)}`);
  await expect(page.getByRole("heading", { level: 1, name: "Wednesday 4 June 2025" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Facts" })).toContainText("1 position closed");
  await page.getByRole("textbox", { name: "Plan" }).fill("No trade before 10:00.");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.getByRole("textbox", { name: "Review" }).fill("## Kept\n\n- waited for the **breakout**");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.getByRole("checkbox", { name: "Reviewed" }).check();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Kept" })).toBeVisible();
  await expect(page.getByText("No trade before 10:00.")).toBeVisible();
  await expectAccessibleEverywhere(page, "day");
  await page.goto("/journal?month=2025-06");
  await expect(page.getByRole("link", { name: /^Wednesday 4 June 2025, −.*, reviewed$/ })).toBeVisible();
  await expectAccessibleEverywhere(page, "days");
});

deskTest("a week and a month have facts and a review of their own", async ({ page, account }) => {
  await importYear(account);
  await page.goto("/journal?month=2025-06");
  await page.getByRole("link", { name: "Review of the week from Monday 2 June 2025" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Week from 2 Jun 2025" })).toBeVisible();
  const facts = page.getByRole("region", { name: "Facts" });
  await expect(facts).toContainText(/positions? closed/);
  const weekFacts = await facts.textContent();
  await page.getByRole("textbox", { name: "Review" }).fill("Two good days, then too many trades.");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await expectAccessibleEverywhere(page, "week");

  await page.getByRole("link", { name: "Next week" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Week from 9 Jun 2025" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Review" })).toHaveValue("");

  await page.goto("/journal?month=2025-06");
  await page.getByRole("link", { name: "Monthly review" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "June 2025" })).toBeVisible();
  await expect(facts).toContainText(/positions closed/);
  expect(await facts.textContent()).not.toBe(weekFacts);
  await page.getByRole("textbox", { name: "Review" }).fill("Fewer trades, larger size.");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await expectAccessibleEverywhere(page, "month");

  // Each period keeps its own review.
  await page.goto("/journal/2025-06-05?period=week");
  await expect(page.getByText("Two good days, then too many trades.")).toBeVisible();
  await page.goto("/journal/2025-06-20?period=month");
  await expect(page.getByText("Fewer trades, larger size.")).toBeVisible();
});

deskTest("a playbook's rules are checked in the review", async ({ page, account }) => {
  await importYear(account);
  await page.goto("/journal/playbooks");
  await page.getByRole("button", { name: "Add a playbook" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a playbook" });
  await dialog.getByLabel("Name of the setup").fill("Opening range");
  await dialog.getByLabel("Rule 1").fill("Stop placed at once");
  await dialog.getByLabel("Rule 2").fill("At most 1% at risk");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Opening range" })).toBeVisible();
  await expectAccessibleEverywhere(page, "playbooks");

  await page.getByRole("link", { name: "Review", exact: true }).click();
  await expect(page.getByRole("button", { name: /^Opening range/ })).toBeVisible();
  await page.keyboard.press("1");
  await page
    .getByRole("group", { name: "Stop placed at once" })
    .getByRole("button", { name: "Kept" })
    .click();
  await page
    .getByRole("group", { name: "At most 1% at risk" })
    .getByRole("button", { name: "Broken" })
    .click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  const kept = page.getByRole("group", { name: "Stop placed at once" }).getByRole("button", { name: "Kept" });
  await expect(kept).toHaveAttribute("aria-pressed", "true");

  await page.getByRole("link", { name: "Playbooks" }).click();
  const record = page.getByRole("listitem").filter({ hasText: "Opening range" });
  await expect(record).toContainText("1 of 2 rules kept. With a broken rule: ");
  await expect(record).toContainText("in 1 position. Too few positions to compare.");
  await expectAccessibleEverywhere(page, "playbook-record");
  await page.goto(`/journal?month=${workingDay(249).slice(0, 7)}`);
  await expect(page.getByRole("listitem").filter({ hasText: "1 of 2 rules kept" })).toHaveCount(1);
  await expectAccessibleEverywhere(page, "calendar-rules");
});

deskTest("a note stays in place when a corrected file replaces an import", async ({ page, account }) => {
  const fills = YEAR.slice(0, 8);
  await importYear(account, fills);
  await openNewestPosition(page);
  await page.getByRole("textbox", { name: "Note" }).fill("Sold into **strength**.");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const address = page.url();

  await page.goto("/dashboard?panel=3");
  await page.getByRole("button", { name: /^Undo:/ }).click();
  const question = page.getByRole("dialog", { name: "Undo this change?" });
  await question.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText(/^Undone\./)).toBeVisible();
  await page.goto("/journal");
  await expect(page.getByText("1 entry no longer matches a trade")).toBeVisible();

  // The broker corrected the price of the last sale.
  const corrected = fills.map((fill, index) => (index === 7 ? { ...fill, price: 1_531 } : fill));
  const path = await writeTradebook(`${account.email}-corrected`, corrected);
  await page.goto("/dashboard?panel=0");
  await submitFile(page, path);
  await expect(page.getByRole("region", { name: "Import report" })).toContainText("8 trades added");
  await page.goto(address);
  await expect(page.locator("strong", { hasText: "strength" })).toBeVisible();
  await expect(page.getByText("1,531", { exact: false }).first()).toBeVisible();
  await page.goto("/journal");
  await expect(page.getByRole("heading", { level: 1, name: "Journal" })).toBeVisible();
  await expect(page.getByText(/no longer match/)).toBeHidden();
});

deskTest(
  "a note written offline survives a reload and is saved when online",
  async ({ page, context, expectedErrors }) => {
    expectedErrors.push(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/);
    await page.goto("/journal/2026-06-04");
    const note = page.getByRole("textbox", { name: "Review" });
    await note.fill("Before the train.");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    // The server cannot be reached; the pages still can, as after a short loss of the connection.
    await context.route("**/api/v1/journal/entries", (route) => route.abort("internetdisconnected"));
    await note.fill("Before the train. In the tunnel.");
    await expect(page.getByText(/^Not saved yet\. Kept in this browser/)).toBeVisible();
    await page.reload();
    await expect(page.getByText("In the tunnel.").first()).toBeVisible();
    await context.unroute("**/api/v1/journal/entries");
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.reload();
    await expect(page.getByText("Before the train. In the tunnel.")).toBeVisible();
  },
);

deskTest(
  "two tabs that edit one note see both texts and keep both",
  async ({ page, context, expectedErrors }) => {
    // The conflict.
    expectedErrors.push(/status of 409/);
    await page.goto("/journal/2026-06-04");
    await expect(page.getByRole("textbox", { name: "Review" })).toBeVisible();
    const other = await context.newPage();
    await other.goto("/journal/2026-06-04");
    await other.getByRole("textbox", { name: "Review" }).fill("From the second tab.");
    await expect(other.getByText("Saved", { exact: true })).toBeVisible();
    await page.getByRole("textbox", { name: "Review" }).fill("From the first tab.");
    const conflict = page.getByRole("alert").filter({ hasText: "Both versions are kept" });
    await expect(conflict).toContainText("From the second tab.");
    await expect(conflict).toContainText("From the first tab.");
    await expectAccessible(page);
    await conflict.getByRole("button", { name: "Keep both" }).click();
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.reload();
    await expect(page.getByText("From the second tab.")).toBeVisible();
    await expect(page.getByText("From the first tab.")).toBeVisible();
  },
);

deskTest("the page of a position has its journal, by keyboard", async ({ page, account }) => {
  deskTest.slow();
  await importYear(account, YEAR.slice(0, 20));
  await page.goto("/journal/playbooks");
  await page.getByRole("button", { name: "Add a playbook" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a playbook" });
  await dialog.getByLabel("Name of the setup").fill("Opening range");
  await dialog.getByLabel("Rule 1").fill("Stop placed at once");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Opening range" })).toBeVisible();
  await openNewestPosition(page);

  // Bought at 1,500 and sold at 1,520.
  const plan = page.getByRole("textbox", { name: "Plan" });
  await plan.focus();
  await page.keyboard.type("Above the **range**.");
  for (const [label, price] of [
    ["Entry", "1500"],
    ["Stop loss", "1510"],
    ["Target", "1540"],
  ] as const) {
    await page.getByLabel(label, { exact: true }).focus();
    await page.keyboard.type(price);
  }
  await expect(page.getByText("Above the entry of a long position")).toBeVisible();
  await page.getByLabel("Stop loss", { exact: true }).fill("no price");
  await expect(page.getByText("A price above 0, with at most 4 decimals")).toBeVisible();
  await page.getByLabel("Stop loss", { exact: true }).fill("1,490");
  await expect(page.getByText("4 times the risk")).toBeVisible();
  await expect(page.getByText("50% reached")).toBeVisible();

  const press = async (name: string | RegExp) => {
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  };
  await press("Opening range");
  await press("Kept");
  await press("No stop");
  await press(/^4 of 5/);
  await addLabel(page, "Tags", "gap-up");
  await page.getByRole("textbox", { name: "Note" }).fill("Held to the **target**.");
  await page.getByRole("checkbox", { name: "This position is reviewed" }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.locator("strong", { hasText: "target" })).toBeVisible();
  await expect(page.getByLabel("Stop loss", { exact: true })).toHaveValue("1490");
  for (const name of ["Opening range", "Kept", "No stop", "gap-up"])
    await expect(page.getByRole("button", { name, exact: true })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("checkbox", { name: "This position is reviewed" })).toBeChecked();
  await expectAccessibleEverywhere(page, "position");

  // The side panel beside the list has the journal, too.
  await page.goto("/analytics/trades");
  await page.getByRole("region", { name: "List of positions" }).getByRole("link").first().click();
  const panel = page.getByRole("dialog");
  await panel.getByRole("button", { name: "Edit Note" }).click();
  await panel.getByRole("textbox", { name: "Note" }).fill("Held to the **target**, from the panel.");
  await expect(panel.getByText("Saved", { exact: true })).toBeVisible();
  await expectAccessible(page);

  // Another position with the same setup, and the figures of both.
  await page.goto("/journal/review");
  await press(/^Opening range/);
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await openNewestPosition(page);
  const sameSetup = page.getByRole("region", { name: "Same setup" });
  await expect(sameSetup).toContainText("Closed2 positions");
  await expect(sameSetup.getByRole("listitem")).toHaveCount(1);
  await expectAccessible(page);

  await page.goto("/journal?q=target");
  await page.getByRole("link", { name: /^INFY/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "INFY" })).toBeVisible();
});

deskTest(
  "a note on the page of a position survives a lost connection and a second tab",
  async ({ page, context, account, expectedErrors }) => {
    expectedErrors.push(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/, /status of 409/);
    await importYear(account, YEAR.slice(0, 2));
    await openNewestPosition(page);
    await context.route("**/api/v1/journal/entries", (route) => route.abort("internetdisconnected"));
    await page.getByRole("textbox", { name: "Note" }).fill("In the tunnel.");
    await expect(page.getByText(/^Not saved yet\. Kept in this browser/)).toBeVisible();
    await page.reload();
    await expect(page.getByText("In the tunnel.").first()).toBeVisible();
    await context.unroute("**/api/v1/journal/entries");
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();

    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Edit Note" }).click();
    await other.getByRole("textbox", { name: "Note" }).fill("From the second tab.");
    await expect(other.getByText("Saved", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Edit Note" }).click();
    await page.getByRole("textbox", { name: "Note" }).fill("From the first tab.");
    const conflict = page.getByRole("alert").filter({ hasText: "Both versions are kept" });
    await expect(conflict).toContainText("From the second tab.");
    await conflict.getByRole("button", { name: "Keep both" }).click();
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  },
);

deskTest("an entry whose trades are gone is attached to another position", async ({ page, account }) => {
  await importYear(account, YEAR.slice(0, 2));
  const key = "00000000000000000000";
  const saved = await account.request.put("/api/v1/journal/entries", {
    headers: bearer(account.token),
    data: {
      kind: "position",
      key,
      symbol: "INFY",
      day: workingDay(0),
      note: "Sold too **early**.",
      version: 0,
    },
  });
  expect(saved.status()).toBe(200);
  await page.goto("/journal");
  await page.getByText("1 entry no longer matches a trade").click();
  await expectAccessibleEverywhere(page, "orphans");
  await page.getByRole("button", { name: "Attach the entry about INFY" }).click();
  await expect(page.getByRole("alert")).toHaveText("Choose a position.");
  await page.getByLabel("Attach to").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Attach the entry about INFY" }).click();
  await expect(page.getByText("1 entry no longer matches a trade")).toBeHidden();
  await openNewestPosition(page);
  await expect(page.locator("strong", { hasText: "early" })).toBeVisible();
});
