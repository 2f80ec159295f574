import { readFile } from "node:fs/promises";
import type { JSHandle, Locator, Page } from "@playwright/test";
import { workingDay } from "./analytics-book.ts";
import { importYear, openNewestPosition, YEAR } from "./journal-book.ts";
import { type Picture, pngPicture } from "./pictures.ts";
import {
  deskTest,
  expect,
  expectAccessible,
  expectAccessibleEverywhere,
  holdRequests,
} from "./test-fixtures.ts";

const DAY = "/journal/2026-06-04";
const UPLOADS = "**/api/v1/journal/screenshots";
const OFFLINE = /ERR_INTERNET_DISCONNECTED|ERR_FAILED/;
const TEXT_FILE = {
  name: "notes.txt",
  mimeType: "text/plain",
  buffer: Buffer.from("Entry above the range."),
};

const section = (page: Page) => page.getByRole("region", { name: "Screenshots" });
const input = (page: Page) => page.getByLabel("Add screenshot");
const thumbnails = (page: Page) =>
  section(page).getByRole("list", { name: "Screenshots" }).getByRole("button");
const uploads = (page: Page) => section(page).getByRole("list", { name: "Uploads" }).getByRole("listitem");
const saved = (page: Page) => page.getByText("Saved", { exact: true });
const review = (page: Page) => page.getByRole("textbox", { name: "Review" });

/** Waits until a picture was loaded and decoded. Thumbnails load when they are near the visible part of the page. */
async function expectLoaded(picture: Locator): Promise<void> {
  await picture.scrollIntoViewIfNeeded();
  const image = picture.locator("img");
  await expect(image).toBeVisible();
  await expect
    .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
    .toBeGreaterThan(0);
}

/** Returns the data of a paste or drop. */
function transferOf(page: Page, pictures: readonly Picture[], text = ""): Promise<JSHandle<DataTransfer>> {
  const files = pictures.map(({ name, mimeType, buffer }) => ({ name, mimeType, bytes: [...buffer] }));
  return page.evaluateHandle(
    ({ files, text }) => {
      const data = new DataTransfer();
      for (const { name, mimeType, bytes } of files)
        data.items.add(new File([new Uint8Array(bytes)], name, { type: mimeType }));
      if (text) data.setData("text/plain", text);
      return data;
    },
    { files, text },
  );
}

/** Pastes into an element. Returns true if the page has handled the paste, so that the browser inserts no text. */
async function paste(target: Locator, data: JSHandle<DataTransfer>): Promise<boolean> {
  return target.evaluate((element, clipboardData) => {
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    return !element.dispatchEvent(event);
  }, data);
}

deskTest("screenshots are added by button, paste and drop", async ({ page }) => {
  await page.goto(DAY);
  await expect(section(page)).toContainText("0 of 10");
  // The text is not saved yet when the picture is chosen.
  await review(page).fill("Gap up.");
  await input(page).setInputFiles(pngPicture("opening.png"));
  await expect(thumbnails(page)).toHaveCount(1);
  await expect(uploads(page)).toHaveCount(0);
  await expect(saved(page)).toBeVisible();

  expect(await paste(review(page), await transferOf(page, [pngPicture("image.png", { width: 640 })]))).toBe(
    true,
  );
  await expect(thumbnails(page)).toHaveCount(2);
  // Spreadsheets put a picture of the cells beside their text.
  const cells = await transferOf(page, [pngPicture("image.png")], "1,500");
  expect(await paste(review(page), cells)).toBe(false);

  const dropped = await transferOf(page, [pngPicture("close.png", { height: 400 })]);
  await input(page).dispatchEvent("dragover", { dataTransfer: dropped });
  await expect(section(page).getByText("Drop the pictures to add them.")).toBeVisible();
  await input(page).dispatchEvent("drop", { dataTransfer: dropped });
  await expect(thumbnails(page)).toHaveCount(3);
  await expect(section(page)).toContainText("3 of 10");
  await expect(section(page).getByText("Drop the pictures to add them.")).toBeHidden();
  for (const thumbnail of await thumbnails(page).all()) await expectLoaded(thumbnail);
  await expect(review(page)).toHaveValue("Gap up.");

  await page.reload();
  await expect(page.getByText("Gap up.")).toBeVisible();
  await expect(thumbnails(page)).toHaveCount(3);
  for (const thumbnail of await thumbnails(page).all()) await expectLoaded(thumbnail);
});

deskTest("a screenshot opens in full size, and can be deleted and restored", async ({ page }) => {
  await page.goto(DAY);
  await input(page).setInputFiles([
    pngPicture("a.png"),
    pngPicture("b.png", { width: 640, colour: [11, 100, 68] }),
    pngPicture("c.png", { height: 400, colour: [192, 50, 43] }),
  ]);
  await expect(thumbnails(page)).toHaveCount(3);
  await expect(uploads(page)).toHaveCount(0);
  await expectLoaded(thumbnails(page).first());

  await thumbnails(page).first().press("Enter");
  const viewer = page.getByRole("dialog");
  const title = viewer.getByRole("heading", { level: 2 });
  await expect(title).toHaveText("Screenshot 1 of 3");
  await expect(viewer.getByRole("button", { name: "Close" })).toBeFocused();
  await expectLoaded(viewer);
  await expect(viewer.getByRole("img", { name: "Screenshot 1 of 3" })).toBeVisible();
  await expect(viewer).toContainText("320 × 200");
  await expect(viewer.getByRole("link", { name: "Open in a new tab" })).toHaveAttribute("href", /^blob:/);
  const begun = page.waitForEvent("download");
  await viewer.getByRole("button", { name: "Download" }).click();
  expect((await begun).suggestedFilename()).toMatch(/^2026-06-04-day-1\.(png|jpg)$/);

  for (const [key, place, size] of [
    ["ArrowRight", 2, "640 × 200"],
    ["ArrowRight", 3, "320 × 400"],
    ["ArrowRight", 3, "320 × 400"],
    ["ArrowLeft", 2, "640 × 200"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(title).toHaveText(`Screenshot ${place} of 3`);
    await expect(viewer).toContainText(size);
    await expectLoaded(viewer);
  }
  await viewer.getByRole("button", { name: "Previous screenshot" }).click();
  await expect(title).toHaveText("Screenshot 1 of 3");
  await page.keyboard.press("Escape");
  await expect(viewer).toBeHidden();
  await expect(thumbnails(page).first()).toBeFocused();

  await thumbnails(page).nth(1).click();
  await viewer.getByRole("button", { name: "Delete" }).click();
  await expect(viewer).toBeHidden();
  await expect(thumbnails(page)).toHaveCount(2);
  const undo = section(page).getByRole("button", { name: "Undo" });
  await expect(undo).toBeFocused();
  await expectAccessible(page);
  await undo.press("Enter");
  await expect(thumbnails(page)).toHaveCount(3);
  await expect(undo).toBeHidden();
  // In its place, between the others.
  await thumbnails(page).nth(1).click();
  await expect(viewer).toContainText("640 × 200");
  await viewer.getByRole("button", { name: "Delete" }).click();
  await expect(thumbnails(page)).toHaveCount(2);
  await expect(section(page).getByText("Screenshot deleted")).toBeVisible();
  await page.reload();
  await expect(thumbnails(page)).toHaveCount(2);
});

deskTest(
  "a file that is not a picture is rejected, and large pictures are made smaller",
  async ({ page }) => {
    deskTest.slow();
    await page.goto(DAY);
    await input(page).setInputFiles([TEXT_FILE, pngPicture("wide.png", { width: 5_000, height: 40 })]);
    await expect(thumbnails(page)).toHaveCount(1);
    await expect(uploads(page)).toHaveCount(1);
    await expect(uploads(page).getByRole("alert")).toHaveText(
      "This file is not a PNG, JPEG or WebP picture.",
    );
    await expect(uploads(page).getByRole("button", { name: /^Retry/ })).toHaveCount(0);
    await expectAccessible(page);
    await uploads(page).getByRole("button", { name: "Remove notes.txt" }).click();
    await expect(uploads(page)).toHaveCount(0);

    // 5.8 MB.
    const large = pngPicture("large.png", { width: 1_600, height: 1_200, random: true });
    await input(page).setInputFiles(large);
    await expect(thumbnails(page)).toHaveCount(2);
    await expect(uploads(page)).toHaveCount(0);
    await thumbnails(page).first().click();
    const viewer = page.getByRole("dialog");
    await expect(viewer).toContainText("4,096 × 33");
    await page.keyboard.press("ArrowRight");
    await expect(viewer).toContainText("1,600 × 1,200");
    await expectLoaded(viewer);
  },
);

deskTest(
  "a picture that could not be uploaded is kept on other pages and can be sent again",
  async ({ page, context, expectedErrors }) => {
    expectedErrors.push(OFFLINE);
    await page.goto(DAY);
    await expect(input(page)).toBeEnabled();
    await context.route(UPLOADS, (route) => route.abort("internetdisconnected"));
    await review(page).fill("In the tunnel.");
    await input(page).setInputFiles(pngPicture("chart.png"));
    await expect(uploads(page).getByRole("alert")).toHaveText(
      "The server could not be reached. The picture is kept until you close this tab.",
    );
    await expect(saved(page)).toBeVisible();
    await expectAccessible(page);

    await page.getByRole("navigation", { name: "Journal" }).getByRole("link", { name: "Playbooks" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Playbooks" })).toBeVisible();
    await expect(page.getByText("1 screenshot not uploaded.")).toBeVisible();
    await page.getByRole("link", { name: "Open the entry" }).click();
    await expect(uploads(page)).toHaveCount(1);
    await context.unroute(UPLOADS);
    await uploads(page).getByRole("button", { name: "Retry chart.png" }).click();
    await expect(thumbnails(page)).toHaveCount(1);
    await expect(uploads(page)).toHaveCount(0);
    await page.reload();
    await expectLoaded(thumbnails(page).first());
    await expect(page.getByText("In the tunnel.")).toBeVisible();
  },
);

deskTest(
  "the browser asks before a tab with a picture that is not uploaded is closed, and the page before a logout",
  async ({ page, context, expectedErrors }) => {
    expectedErrors.push(OFFLINE);
    await page.goto(DAY);
    await expect(input(page)).toBeEnabled();
    await context.route(UPLOADS, (route) => route.abort("internetdisconnected"));
    await input(page).setInputFiles(pngPicture("chart.png"));
    await expect(uploads(page).getByRole("button", { name: "Retry chart.png" })).toBeVisible();
    // A browser asks only on pages that were used.
    await review(page).click();
    const question = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await question;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();

    await page.getByRole("button", { name: "Asha Rao, account", exact: true }).click();
    await page.getByRole("link", { name: "LogOut" }).click();
    const logout = page.getByRole("dialog", { name: "Log out before this is finished?" });
    await expect(logout).toContainText("Not saved yet: 1 screenshot");
    await expectAccessible(page);
    await logout.getByRole("button", { name: "Stay" }).click();
    await expect(uploads(page)).toHaveCount(1);
  },
);

deskTest(
  "a picture chosen offline is uploaded when the connection is back",
  async ({ page, context, expectedErrors }) => {
    expectedErrors.push(OFFLINE);
    await page.goto(DAY);
    await expect(input(page)).toBeEnabled();
    // The code that prepares pictures is loaded in advance.
    await page.waitForLoadState("networkidle");
    await context.setOffline(true);
    await expect(section(page).getByText(/^You are offline\. Screenshots need a connection\./)).toBeVisible();
    await input(page).setInputFiles(pngPicture("chart.png"));
    await expect(uploads(page).getByRole("button", { name: "Retry chart.png" })).toBeVisible();
    await context.setOffline(false);
    await expect(thumbnails(page)).toHaveCount(1);
    await expect(uploads(page)).toHaveCount(0);
  },
);

deskTest("an entry holds ten screenshots", async ({ page }) => {
  deskTest.slow();
  await page.goto(DAY);
  await input(page).setInputFiles(Array.from({ length: 11 }, (_, index) => pngPicture(`${index}.png`)));
  await expect(section(page).getByRole("alert").getByText("1 picture not added.")).toBeVisible();
  await expect(input(page)).toBeDisabled();
  await expect(thumbnails(page)).toHaveCount(10);
  await expect(uploads(page)).toHaveCount(0);
  await expect(section(page).getByText("Delete one to add another.")).toBeVisible();
  for (const thumbnail of await thumbnails(page).all()) await expectLoaded(thumbnail);
  await expectAccessibleEverywhere(page, "screenshots");

  await thumbnails(page).last().click();
  const viewer = page.getByRole("dialog");
  await expectLoaded(viewer);
  await expectAccessibleEverywhere(page, "screenshot-viewer");
  await viewer.getByRole("button", { name: "Delete" }).click();
  await expect(thumbnails(page)).toHaveCount(9);
  await expect(input(page)).toBeEnabled();
});

deskTest(
  "the entry of a position begins with a screenshot, and lists show how many it has",
  async ({ page, account }) => {
    await importYear(account, YEAR.slice(0, 4));
    await openNewestPosition(page);
    await expect(section(page)).toContainText("0 of 10");
    // Text is typed while the picture is sent. Neither request is rejected: a 409 would fail the test.
    const release = await holdRequests(page, UPLOADS);
    await input(page).setInputFiles(pngPicture("chart.png"));
    await expect(uploads(page)).toHaveCount(1);
    await page.getByRole("textbox", { name: "Note" }).fill("Broke out.");
    await expect(saved(page)).toBeVisible();
    release();
    await expect(thumbnails(page)).toHaveCount(1);
    await page.getByRole("textbox", { name: "Note" }).fill("Broke out. Held.");
    await expect(saved(page)).toBeVisible();
    await page.reload();
    await expect(page.getByText("Broke out. Held.")).toBeVisible();
    await expectLoaded(thumbnails(page).first());

    await page.goto("/journal?q=Held");
    await expect(
      page.getByRole("search").getByRole("listitem").filter({ hasText: "1 screenshot" }),
    ).toHaveCount(1);
    await page.goto(`/journal/${workingDay(1)}`);
    await expect(page.getByRole("region", { name: "Facts" }).getByRole("table")).toContainText(
      "1 screenshot",
    );
    await expectAccessible(page);

    // The review queue, where the entry of the older position does not exist yet.
    await page.goto("/journal/review");
    await expect(page.getByText("1 of 2", { exact: true })).toBeVisible();
    await expect(thumbnails(page)).toHaveCount(1);
    await page.getByRole("button", { name: "Skip" }).click();
    await expect(page.getByText("2 of 2", { exact: true })).toBeVisible();
    await expect(section(page)).toContainText("0 of 10");
    await input(page).setInputFiles([pngPicture("a.png"), pngPicture("b.png")]);
    await expect(thumbnails(page)).toHaveCount(2);
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await expect(thumbnails(page)).toHaveCount(1);
    await page.getByRole("button", { name: "Skip" }).click();
    await expect(thumbnails(page)).toHaveCount(2);
    await page.getByRole("textbox", { name: "Note" }).fill("Late.");
    await expect(saved(page)).toBeVisible();
  },
);

deskTest("all screenshots can be downloaded", async ({ page }) => {
  await page.goto(DAY);
  await input(page).setInputFiles(pngPicture("chart.png"));
  await expect(thumbnails(page)).toHaveCount(1);
  await page.goto("/account?tab=data");
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download screenshots (ZIP)" }).click();
  const file = await begun;
  expect(file.suggestedFilename()).toMatch(/\.zip$/);
  expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe("PK");
  await expect(page.getByText("Your file was downloaded.")).toBeVisible();
  await expectAccessible(page);
});
