import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CLIENT_ID, CLIENT_SECRET, startFakeGoogle } from "./fake-google.ts";
import { FILES, growwFnoPath, ROWS, tradebookPath } from "./tradebooks.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TARGET = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "debug");
const SITE = resolve(ROOT, process.env.TRADEBAHI_WEB_DIR ?? "web/build/client");
/** Timeout of the start, which creates a database. */
const START_TIMEOUT_MS = 60_000;

/**
 * Starts the server with an empty data directory and its own Postgres; returns a function that stops it.
 * `E2E_SHAPE=apart` starts edge and core as two processes with a Unix socket between them.
 */
export default async function startServer(): Promise<() => Promise<void>> {
  const binary = requireBuilt(join(TARGET, "tradebahi"));
  const tradebookMaker = requireBuilt(join(TARGET, "examples/make_tradebook"));
  requireBuilt(SITE);

  const home = await mkdtemp(join(tmpdir(), "tradebahi-e2e-"));
  // The Postgres user must have access: if root starts the server, the database would otherwise be stored elsewhere.
  await chmod(home, 0o711);
  process.env.E2E_FILES = home;
  process.env.E2E_BINARY = binary;
  for (const { broker, ending } of FILES) {
    for (const rows of Object.values(ROWS)) {
      execFileSync(tradebookMaker, [broker, String(rows), tradebookPath(broker, rows, ending)]);
    }
  }

  execFileSync(tradebookMaker, ["groww-fno", growwFnoPath()]);

  const google = await startFakeGoogle();
  process.env.E2E_GOOGLE = google.issuer;
  const [port, grpcPort] = await Promise.all([freePort(), freePort()]);
  const grpcAddress = shape() === "apart" ? `unix:${join(home, "grpc.sock")}` : `127.0.0.1:${grpcPort}`;
  const settings = [
    ["--data-dir", join(home, "data"), "--web-dir", SITE],
    ["--listen", `127.0.0.1:${port}`, "--grpc-listen", grpcAddress],
    ["--google-client-id", CLIENT_ID, "--google-client-secret", CLIENT_SECRET],
    ["--google-issuer", google.issuer],
  ].flat();
  const apart = [
    ["--role", "core"],
    ["--role", "edge", "--core", grpcAddress],
  ];
  const servers = (shape() === "apart" ? apart : [["--role", "all"]]).map(
    (role) => new Server(binary, [...role, ...settings], join(home, `${role[1]}.log`)),
  );
  process.env.BASE_URL = `http://127.0.0.1:${port}`;
  // Stops the servers however the run ends.
  process.once("exit", () => servers.map((server) => server.process.kill("SIGKILL")));

  try {
    await waitUntilReady(servers, process.env.BASE_URL);
  } catch (error) {
    for (const server of servers) server.process.kill("SIGTERM");
    await google.close();
    const logs = await Promise.all(servers.map(({ log }) => readFile(log, "utf8")));
    throw new Error(`The server did not start. Its log:\n${logs.join("\n")}`, { cause: error });
  }

  return async () => {
    // The edge first, because it depends on the core.
    for (const server of servers.reverse()) await server.stop();
    await google.close();
    await rm(home, { recursive: true });
  };
}

/** A server process with its log file. */
class Server {
  readonly process: ChildProcess;
  readonly log: string;

  constructor(binary: string, settings: string[], log: string) {
    this.log = log;
    const output = openSync(log, "w");
    const stdio = ["ignore", output, output] as const;
    this.process = spawn(binary, ["serve", ...settings], {
      cwd: ROOT,
      env: serverEnvironment(),
      stdio: [...stdio],
    });
  }

  /** Stops the process; fails if it exits with an error or has logged one. */
  async stop(): Promise<void> {
    const ended = this.process.exitCode === null ? once(this.process, "exit") : [this.process.exitCode];
    this.process.kill("SIGTERM");
    const [code] = await ended;
    const lines = (await readFile(this.log, "utf8")).split("\n");
    const errors = lines.filter((line) => line.includes('"level":"ERROR"') || line.includes("panicked"));
    if (code !== 0 || errors.length > 0) {
      const tail = errors.length > 0 ? errors : lines.slice(-20);
      throw new Error(`The server exited with ${code}. From its log, ${this.log}:\n${tail.join("\n")}`);
    }
  }
}

/** Returns `one` process, or edge and core `apart`. */
function shape(): "one" | "apart" {
  const shape = process.env.E2E_SHAPE || "one";
  if (shape !== "one" && shape !== "apart") throw new Error(`E2E_SHAPE is one or apart, not ${shape}.`);
  return shape;
}

function requireBuilt(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`just e2e\`, which builds it.`);
  return path;
}

/** Returns the environment without settings of the product, which would change the tests. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name !== "DATABASE_URL" && (!name.startsWith("TRADEBAHI_") || name === "TRADEBAHI_PG_BIN"),
    ),
  );
}

async function waitUntilReady(servers: Server[], url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const running = () => servers.every((server) => server.process.exitCode === null);
  while (running() && Date.now() < deadline) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(running() ? "It was not ready in time." : "It exited.");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (!address || typeof address === "string") throw new Error("No free port.");
  return address.port;
}
