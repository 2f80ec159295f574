import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { serverEnvironment } from "./global-setup.ts";

/** Runs an `applications` command of the server under test, as a recruiter does in a terminal. */
export async function runApplicationsCommand(
  applicationId: string,
  ...command: ["advance" | "reject" | "show", ...string[]]
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
    { env: serverEnvironment() },
  );
}
