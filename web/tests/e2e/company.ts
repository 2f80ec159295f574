import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ownEnvironment } from "./global-setup.ts";

/** What the company does with an application, in a terminal beside the server under test. */
export async function decide(
  applicationId: string,
  ...command: ["advance" | "reject", ...string[]]
): Promise<void> {
  const [name, ...options] = command;
  await promisify(execFile)(
    process.env.E2E_BINARY ?? "",
    [
      "applications",
      "--data-dir",
      join(process.env.E2E_FILES ?? "", "data"),
      name,
      applicationId,
      ...options,
    ],
    { env: ownEnvironment() },
  );
}
