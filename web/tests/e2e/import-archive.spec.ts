import { readFile } from "node:fs/promises";
import { zipSync } from "fflate";
import { getClient } from "./accounts.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { pdfFixturePath } from "./tradebooks.ts";

const PAN = "ABCDE1234F";
const UNCHANGED =
  "Unchanged since it was signed with a certificate in the name of Example Broking Limited (DS EXAMPLE BROKING LIMITED 1), issued by Example Certifying Authority (Example CA 2026).";

const readNote = async (name: string) => new Uint8Array(await readFile(pdfFixturePath(name)));
const zip = (name: string, content: Record<string, Uint8Array>) => ({
  name,
  mimeType: "application/zip",
  buffer: Buffer.from(zipSync(content)),
});

test("the notes in a ZIP are imported with one password and one review, which states their signatures", async ({
  page,
  account,
  expectedErrors,
}) => {
  // The notes without their password.
  expectedErrors.push(/status of 422/);
  const text = new Uint8Array(Buffer.from("no note"));
  const archive = zip("notes.zip", {
    "2026/08-06-2026-signed.pdf": await readNote("zerodha-contract-note-signed"),
    "2026/june/05-06-2026.pdf": await readNote("zerodha-contract-note"),
    "__MACOSX/._05-06-2026.pdf": text,
    "readme.txt": text,
  });
  await page.goto("/dashboard?panel=0");
  await page.getByLabel("Excel sheet").setInputFiles([archive]);
  const files = page.getByRole("list", { name: "Files" }).getByRole("listitem");
  await expect(files).toHaveText([/^05-06-2026\.pdf/, /^08-06-2026-signed\.pdf/]);
  await expect(page.getByText("notes.zip: 1 file of another kind was not added.")).toBeVisible();
  await page.getByRole("button", { name: "Submit Trades" }).click();
  const password = page.getByLabel("Password of 05-06-2026.pdf");
  await password.fill(PAN);
  await password.press("Enter");
  await expect(page.getByText(UNCHANGED)).toBeVisible();
  await expect(page.getByText("This document has no digital signature.")).toBeVisible();
  for (const [scheme, width] of [
    ["dark", 320],
    ["light", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({
      path: `${process.env.E2E_FILES}/signature-${scheme}-${width}.png`,
      fullPage: true,
    });
  }
  await page.getByRole("button", { name: /^Import 24 trades/ }).click();
  await expect(page).toHaveURL("/dashboard?panel=1");
  const report = page.getByRole("region", { name: "Import report" });
  await expect(report).toContainText(`1 document: ${UNCHANGED}`);
  await expect(report).toContainText("TradeBahi does not check whether the issuer can be trusted");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(24);
});

test("a changed note is imported only after a plain warning, and a harmful ZIP gets a message", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 422/);
  const changed = await readNote("zerodha-contract-note-signed");
  changed[10] = (changed[10] ?? 0) ^ 1;
  await page.goto("/dashboard?panel=0");
  const picker = page.getByLabel("Excel sheet");
  await picker.setInputFiles([zip("bomb.zip", { "a.csv": new Uint8Array(20 * 1024 * 1024) })]);
  await expect(page.getByText(/^bomb\.zip: The files in the ZIP file are too large/)).toBeVisible();
  await picker.setInputFiles([zip("changed.zip", { "changed.pdf": changed })]);
  await page.getByRole("button", { name: "Submit Trades" }).click();
  const password = page.getByLabel("Password of changed.pdf");
  await password.fill(PAN);
  await password.press("Enter");
  await expect(page.getByText("This document was changed after it was signed.")).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: `${process.env.E2E_FILES}/signature-changed.png`, fullPage: true });
  expect((await getClient(account.request, account.token)).trades).toHaveLength(0);
  await page.getByRole("button", { name: /^Import 12 trades/ }).click();
  await expect(page.getByRole("region", { name: "Import report" })).toContainText("12 trades added");
});
