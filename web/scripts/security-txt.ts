/** Writes `.well-known/security.txt` (RFC 9116): the contact for reports of vulnerabilities. Run after the build. */
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { SITE } from "../app/content/site.ts";

const FOLDER = fileURLToPath(new URL("../build/client/.well-known/", import.meta.url));
/** RFC 9116 recommends less than a year, so that nobody writes to an abandoned address. Each build renews it. */
const VALID_DAYS = 360;

const expires = new Date();
expires.setUTCDate(expires.getUTCDate() + VALID_DAYS);

await mkdir(FOLDER, { recursive: true });
await writeFile(
  `${FOLDER}security.txt`,
  [
    `Contact: mailto:${SITE.email}`,
    `Expires: ${expires.toISOString().slice(0, 10)}T00:00:00Z`,
    "Preferred-Languages: en, hi",
    `Canonical: ${SITE.origin}/.well-known/security.txt`,
    "",
  ].join("\n"),
);
