// How the log feels in a browser on a processor four times slower: `node browser.mjs [ROWS]`, from the repository.
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
const SLOWER = 4;
const TABLE = "table[aria-label='Trades'] tr[aria-rowindex='2'] td";

const home = await mkdtemp(join(tmpdir(), "tradebahi-browser-"));
// Who runs Postgres may enter: where root starts the server, the database would else be kept elsewhere and stay.
await chmod(home, 0o711);
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = spawn(
  join(BUILT, "tradebahi"),
  ["serve", "--data-dir", join(home, "data"), "--listen", `127.0.0.1:${port}`, "--grpc-listen", `127.0.0.1:${await freePort()}`],
  { stdio: "ignore" },
);
process.once("exit", () => server.kill("SIGKILL"));

try {
  await ready();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH || onPath("chromium") || onPath("chromium-browser") || onPath("google-chrome"),
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  report(await rounds(browser, await traderWithLog()));
  await browser.close();
} finally {
  server.kill("SIGTERM");
  if (server.exitCode === null) await once(server, "exit");
  await rm(home, { recursive: true, force: true });
}

/** Registers somebody and imports the trades; the token of the sign-in. */
async function traderWithLog() {
  const password = "correct horse battery";
  const person = { name: "Bench", email: "bench@example.in", phone: "9800000001", password };
  await post("/auth/register", { ...person, confirmPassword: password });
  const { data } = await post("/auth/login", { email: person.email, password });

  const path = join(home, "trades.xlsx");
  execFileSync(join(BUILT, "examples/make_tradebook"), ["zerodha", String(ROWS), path]);
  const form = new FormData();
  form.set("broker", "zerodha");
  form.set("tradetype", "equity");
  form.set("file", new Blob([await readFile(path)]), "trades.xlsx");
  const headers = { Authorization: `Bearer ${data.token}`, Prefer: "return=minimal" };
  const answer = await fetch(`${url}/api/v1/uploadexcel`, { method: "POST", headers, body: form });
  if (!answer.ok) throw new Error(await answer.text());
  return data.token;
}

async function rounds(browser, token) {
  const figures = { frame: [], sort: [], rows: [] };
  const origins = [{ origin: url, localStorage: [{ name: "token", value: token }] }];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ storageState: { cookies: [], origins } });
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.addInitScript(watchPaints, TABLE);
    await page.goto(`${url}/dashboard?panel=1`);
    await page.waitForFunction(() => window.paints.length > 0);
    figures.frame.push(await page.evaluate(firstFrame));
    // Whatever the page does after its first frame is not the sort's.
    await page.waitForLoadState("networkidle");
    figures.sort.push(await page.evaluate(timeSort, TABLE));
    figures.rows.push(await page.locator("table[aria-label='Trades'] tbody tr[aria-rowindex]").count());
    await context.close();
  }
  return figures;
}

/** In the page: notes when a frame with another first row was painted. */
function watchPaints(cells) {
  window.paints = [];
  let shown = "";
  const look = () => {
    const text = Array.from(document.querySelectorAll(cells), (cell) => cell.textContent).join();
    if (!text || text.startsWith("Loading") || text === shown) return;
    shown = text;
    // A task after the frame's own begins when that frame is out.
    requestAnimationFrame(() => setTimeout(() => window.paints.push(performance.now())));
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}

/** In the page: from the last byte of the first page of trades to the frame that shows them. */
function firstFrame() {
  const [data] = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/trades/client"));
  return window.paints[0] - data.responseEnd;
}

/** In the page: from a press on Price to the frame in the new order, the server's part included. */
async function timeSort() {
  const before = window.paints.length;
  const head = Array.from(document.querySelectorAll("th button")).find((button) => button.textContent === "Price");
  const start = performance.now();
  head.click();
  while (window.paints.length === before) await new Promise((again) => setTimeout(again, 5));
  return window.paints[before] - start;
}

function report({ frame, sort, rows }) {
  console.log(`\n### In the browser, ${ROWS.toLocaleString("en-IN")} trades, processor slowed ${SLOWER} times\n`);
  console.log("| | median | range | aim |\n|---|---|---|---|");
  console.log(row("first frame of the log after its data", frame, 400));
  console.log(row("sorted by price, from the press to the frame", sort, 250));
  console.log(`\nRows in the page: at most ${Math.max(...rows)}.`);
}

function row(name, figures, aim) {
  const sorted = figures.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)].map(Math.round);
  return `| ${name} | ${Math.round(sorted[sorted.length >> 1])} ms | ${least} to ${most} ms | ≤ ${aim} ms |`;
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function ready() {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && server.exitCode === null; ) {
    if ((await fetch(`${url}/readyz`).catch(() => undefined))?.ok) return;
    await new Promise((again) => setTimeout(again, 100));
  }
  throw new Error("The server does not start.");
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}

function onPath(name) {
  return (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
