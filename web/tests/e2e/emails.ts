import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";

/** Pages that a letter leads to, and what opens them. */
const OPENED_BY = {
  "confirm-email": /\/confirm-email\?token=[\w.~-]+/,
  "reset-password": /\/reset-password\?token=[\w.~-]+/,
  application: /\/application\/[\w-]+/,
};
type Page = keyof typeof OPENED_BY;

/** The path of the last link in a letter to this address; the server under test writes letters into files. */
export async function linkTo(address: string, page: Page): Promise<string> {
  let link = "";
  await expect
    .poll(
      async () => {
        link = (await letters(address)).map((text) => linkIn(text, page)).findLast(Boolean) ?? "";
        return link;
      },
      { timeout: 15_000, message: `a letter to ${address} that leads to /${page}` },
    )
    .not.toBe("");
  return link;
}

async function letters(address: string): Promise<string[]> {
  const folder = join(process.env.E2E_FILES ?? "", "data", "mail");
  // One that is still being written has another name.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml"));
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), "utf8")));
  return texts.filter((text) => text.includes(address));
}

function linkIn(letter: string, page: Page): string {
  const text = letter.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=");
  return OPENED_BY[page].exec(text)?.[0] ?? "";
}
