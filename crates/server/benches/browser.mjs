// Benchmark of the log in Chromium with a processor slowed four times: `node browser.mjs [ROWS]`, run in the repository.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const { chromium } = createRequire(resolve("web/package.json"))("@playwright/test");
const BUILT = resolve(process.env.CARGO_TARGET_DIR ?? "target", process.env.BENCH_PROFILE ?? "release");
const ROWS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const CPU_SLOWDOWN = 4;
const FIRST_ROW_CELLS = "table[aria-label='Trades'] tr[aria-rowindex='2'] td";

const home = await mkdtemp(join(tmpdir(), "tradebahi-browser-"));
// Gives the user of Postgres access. Otherwise, if root starts the server, the database is created elsewhere and not
// deleted.
await chmod(home, 0o711);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = spawn(
  join(BUILT, "tradebahi"),
  [
    "serve",
    "--data-dir",
    join(home, "data"),
    "--listen",
    `127.0.0.1:${port}`,
    "--grpc-listen",
    `127.0.0.1:${await freePort()}`,
  ],
  { stdio: "ignore" },
);
process.once("exit", () => server.kill("SIGKILL"));

try {
  await waitUntilReady();
  const browser = await chromium.launch({
    executablePath:
      process.env.CHROMIUM_PATH ||
      findInPath("chromium") ||
      findInPath("chromium-browser") ||
      findInPath("google-chrome"),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  printReport(await runRounds(browser, await createAccountWithLog()));
  await browser.close();
} finally {
  server.kill("SIGTERM");
  if (server.exitCode === null) await once(server, "exit");
  await rm(home, { recursive: true, force: true });
}

/** Creates an account and imports the trades; returns the access token. */
async function createAccountWithLog() {
  const password = "correct horse battery";
  const account = { name: "Bench", email: "bench@example.in", phone: "9800000001", password };
  await post("/auth/register", { ...account, confirmPassword: password });
  const { data } = await post("/auth/login", { email: account.email, password });

  const path = join(home, "trades.xlsx");
  execFileSync(join(BUILT, "examples/make_tradebook"), ["zerodha", String(ROWS), path]);
  const form = new FormData();
  form.set("broker", "zerodha");
  form.set("tradetype", "equity");
  form.set("file", new Blob([await readFile(path)]), "trades.xlsx");
  const headers = { Authorization: `Bearer ${data.token}`, Prefer: "return=minimal" };
  const response = await fetch(`${url}/api/v1/uploadexcel`, { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(await response.text());
  return data.token;
}

async function runRounds(browser, token) {
  const figures = { frame: [], sort: [], rows: [] };
  const origins = [{ origin: url, localStorage: [{ name: "token", value: token }] }];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ storageState: { cookies: [], origins } });
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.addInitScript(watchPaints, FIRST_ROW_CELLS);
    await page.goto(`${url}/dashboard?panel=1`);
    await page.waitForFunction(() => window.paints.length > 0);
    figures.frame.push(await page.evaluate(measureFirstFrame));
    // Excludes work after the first frame from the time of the sort.
    await page.waitForLoadState("networkidle");
    figures.sort.push(await page.evaluate(measureSort));
    figures.rows.push(await page.locator("table[aria-label='Trades'] tbody tr[aria-rowindex]").count());
    await context.close();
  }
  return figures;
}

/** In the page: records the time of each frame that shows another first row. */
function watchPaints(cells) {
  window.paints = [];
  let shown = "";
  const check = () => {
    const text = Array.from(document.querySelectorAll(cells), (cell) => cell.textContent).join();
    if (!text || text.startsWith("Loading") || text === shown) return;
    shown = text;
    // A task scheduled in the animation frame runs after the frame is painted.
    requestAnimationFrame(() => setTimeout(() => window.paints.push(performance.now())));
  };
  new MutationObserver(check).observe(document, { subtree: true, childList: true, characterData: true });
}

/** In the page: returns the time from the last byte of the first page of trades to the frame that shows them. */
function measureFirstFrame() {
  const [data] = performance
    .getEntriesByType("resource")
    .filter(({ name }) => name.includes("/trades/client"));
  return window.paints[0] - data.responseEnd;
}

/** In the page: returns the time from a click on Price to the frame in the new order, including the server's part. */
async function measureSort() {
  const before = window.paints.length;
  const header = Array.from(document.querySelectorAll("th button")).find(
    (button) => button.textContent === "Price",
  );
  const start = performance.now();
  header.click();
  while (window.paints.length === before) await new Promise((resume) => setTimeout(resume, 5));
  return window.paints[before] - start;
}

function printReport({ frame, sort, rows }) {
  console.log(
    `\n### In the browser, ${ROWS.toLocaleString("en-IN")} trades, processor slowed ${CPU_SLOWDOWN} times\n`,
  );
  console.log("| | median | range | aim |\n|---|---|---|---|");
  console.log(tableRow("first frame of the log after its data", frame, 400));
  console.log(tableRow("sorting by price, from the click to the frame", sort, 250));
  console.log(`\nRows in the DOM: at most ${Math.max(...rows)}.`);
}

function tableRow(name, figures, aim) {
  const sorted = figures.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)].map(Math.round);
  return `| ${name} | ${Math.round(sorted[sorted.length >> 1])} ms | ${min} to ${max} ms | ≤ ${aim} ms |`;
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function waitUntilReady() {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && server.exitCode === null; ) {
    if ((await fetch(`${url}/readyz`).catch(() => undefined))?.ok) return;
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error("The server did not start.");
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}

function findInPath(name) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
