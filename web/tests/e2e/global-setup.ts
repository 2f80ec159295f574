import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CLIENT_ID, CLIENT_SECRET, playGoogle } from "./played-google.ts";
import { FILES, fileOf, growwFno, ROWS } from "./tradebooks.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TARGET = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "debug");
const SITE = resolve(ROOT, process.env.TRADEBAHI_WEB_DIR ?? "web/build/client");
/** For the first start, which makes a database. */
const PATIENCE = 60_000;

/** Starts the server as a newcomer does, on an empty directory and its own Postgres; the answer stops it again. */
export default async function startServer(): Promise<() => Promise<void>> {
  const binary = built(join(TARGET, "tradebahi"));
  const maker = built(join(TARGET, "examples/make_tradebook"));
  built(SITE);

  const home = await mkdtemp(join(tmpdir(), "tradebahi-e2e-"));
  process.env.E2E_FILES = home;
  process.env.E2E_BINARY = binary;
  for (const { broker, ending } of FILES) {
    for (const rows of Object.values(ROWS)) {
      execFileSync(maker, [broker, String(rows), fileOf(broker, rows, ending)]);
    }
  }

  execFileSync(maker, ["groww-fno", growwFno()]);

  const google = await playGoogle();
  process.env.E2E_GOOGLE = google.issuer;
  const [port, grpcPort] = await Promise.all([freePort(), freePort()]);
  const log = join(home, "server.log");
  const output = openSync(log, "w");
  const server = spawn(
    binary,
    [
      ["serve", "--data-dir", join(home, "data"), "--web-dir", SITE],
      ["--listen", `127.0.0.1:${port}`, "--grpc-listen", `127.0.0.1:${grpcPort}`],
      ["--google-client-id", CLIENT_ID, "--google-client-secret", CLIENT_SECRET],
      ["--google-issuer", google.issuer],
    ].flat(),
    { cwd: ROOT, env: ownEnvironment(), stdio: ["ignore", output, output] },
  );
  process.env.BASE_URL = `http://127.0.0.1:${port}`;
  // Whatever ends the run, no server is left behind.
  process.once("exit", () => server.kill("SIGKILL"));

  try {
    await ready(server, process.env.BASE_URL);
  } catch (error) {
    server.kill("SIGTERM");
    await google.close();
    throw new Error(`The server did not start. Its log:\n${await readFile(log, "utf8")}`, { cause: error });
  }

  return async () => {
    const ended = server.exitCode === null ? once(server, "exit") : [server.exitCode];
    server.kill("SIGTERM");
    const [code] = await ended;
    await google.close();
    const lines = (await readFile(log, "utf8")).split("\n");
    const errors = lines.filter((line) => line.includes('"level":"ERROR"') || line.includes("panicked"));
    if (code !== 0 || errors.length > 0) {
      const tail = errors.length > 0 ? errors : lines.slice(-20);
      throw new Error(`The server ended with ${code}. From its log, ${log}:\n${tail.join("\n")}`);
    }
    await rm(home, { recursive: true });
  };
}

function built(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is not there: run \`just e2e\`, which builds it.`);
  return path;
}

/** Settings of whoever runs the tests are not those of the tests. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name !== "DATABASE_URL" && (!name.startsWith("TRADEBAHI_") || name === "TRADEBAHI_PG_BIN"),
    ),
  );
}

async function ready(server: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (server.exitCode === null && Date.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((again) => setTimeout(again, 100));
  }
  throw new Error(server.exitCode === null ? "It was not ready in time." : "It ended.");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (!address || typeof address === "string") throw new Error("No free port.");
  return address.port;
}
