import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";

/** Links in emails, by the page that they open. */
const LINKS = {
  "confirm-email": /\/confirm-email\?token=[\w.~-]+/,
  "reset-password": /\/reset-password\?token=[\w.~-]+/,
  application: /\/application#[\w-]+/,
};
type Page = keyof typeof LINKS;

/** Waits for an email to the address and returns the path of the latest link in it. The server writes emails to files. */
export async function linkTo(address: string, page: Page): Promise<string> {
  let link = "";
  await expect
    .poll(
      async () => {
        link = (await readEmails(address)).map((text) => linkIn(text, page)).findLast(Boolean) ?? "";
        return link;
      },
      { timeout: 15_000, message: `an email to ${address} with a link to /${page}` },
    )
    .not.toBe("");
  return link;
}

/** Waits for an email to the address with another link than `link`, and returns the path of that link. */
export async function nextLinkTo(address: string, page: Page, link: string): Promise<string> {
  await expect.poll(() => linkTo(address, page), { timeout: 15_000 }).not.toBe(link);
  return linkTo(address, page);
}

async function readEmails(address: string): Promise<string[]> {
  return (await readMessages(".eml")).filter((text) => text.includes(address));
}

/** Reads the emails or text messages, oldest first. */
async function readMessages(extension: ".eml" | ".sms"): Promise<string[]> {
  const folder = join(process.env.E2E_FILES ?? "", "data", "mail");
  // A file that is still being written has another extension.
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(extension));
  return Promise.all(names.sort().map((name) => readFile(join(folder, name), "utf8")));
}

function linkIn(email: string, page: Page): string {
  const text = email.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=");
  return LINKS[page].exec(text)?.[0] ?? "";
}

/** Waits for a text message to the phone number, and returns the code of the latest one. The server writes them to files. */
export async function codeSentTo(phone: string): Promise<string> {
  let code = "";
  await expect
    .poll(
      async () => {
        const texts = (await readMessages(".sms")).filter((text) => text.startsWith(`To: +91${phone}\n`));
        code = /\n\n(\d{6}) /.exec(texts.at(-1) ?? "")?.[1] ?? "";
        return code;
      },
      { timeout: 15_000, message: `a text message to ${phone}` },
    )
    .not.toBe("");
  return code;
}
