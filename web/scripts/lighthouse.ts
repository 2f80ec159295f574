/**
 * Runs Lighthouse with phone settings on each page of the sitemap, served by the real server. Accessibility and SEO must
 * be 100; performance is printed. `just bench` runs it: it installs Lighthouse into target/bench and builds the server.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createHttpServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { SITE } from "../app/content/site.ts";
import config from "../playwright.config.ts";

type Report = {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { score: number | null; scoreDisplayMode: string; numericValue?: number }>;
};
type Lighthouse = (url: string, flags: object) => Promise<{ lhr: Report } | undefined>;

const ROOT = resolve(import.meta.dirname, "../..");
const SITE_DIR = resolve(ROOT, "web/build/client");
const BINARY = resolve(
  ROOT,
  process.env.CARGO_TARGET_DIR ?? "target",
  process.env.BENCH_PROFILE ?? "release",
);
/** Categories that must have a score of 100. */
const ASSERTED = ["accessibility", "seo"];
/** Number of comparisons of the home page with the same page without scripts. */
const ROUNDS = 3;

async function loadLighthouse(): Promise<Lighthouse> {
  const installed = createRequire(resolve(ROOT, "target/bench/package.json")).resolve("lighthouse");
  const { default: lighthouse }: { default: Lighthouse } = await import(pathToFileURL(installed).href);
  return lighthouse;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (!address || typeof address === "string") throw new Error("No free port.");
  return address.port;
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  while (server.exitCode === null) {
    if ((await fetch(`${url}/readyz`).catch(() => undefined))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The server exited.");
}

/** Measures each page of the sitemap and reports failures; returns true if all pages pass. */
async function measure(url: string): Promise<boolean> {
  const lighthouse = await loadLighthouse();
  const port = await freePort();
  const { args = [], ...launch } = config.use?.launchOptions ?? {};
  const browser = await chromium.launch({ ...launch, args: [...args, `--remote-debugging-port=${port}`] });
  const map = await readFile(join(SITE_DIR, "sitemap.xml"), "utf8");
  let passed = true;
  console.log("\n### Lighthouse, on a phone\n");
  console.log(
    "| page | performance | accessibility | search | LCP | blocked | shift |\n|---|---|---|---|---|---|---|",
  );
  for (const [, path = ""] of map.matchAll(new RegExp(`<loc>${SITE.origin}([^<]+)</loc>`, "g"))) {
    const result = await lighthouse(url + path, {
      port,
      logLevel: "error",
      onlyCategories: ["performance", ...ASSERTED],
    });
    if (!result) throw new Error(`No report on ${path}.`);
    const { categories, audits } = result.lhr;
    const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
    const value = (name: string) => audits[name]?.numericValue ?? Number.NaN;
    const times = `${(value("largest-contentful-paint") / 1_000).toFixed(1)} s | ${Math.round(value("total-blocking-time"))} ms | ${value("cumulative-layout-shift").toFixed(3)}`;
    console.log(
      `| ${path} | ${score("performance")} | ${score("accessibility")} | ${score("seo")} | ${times} |`,
    );
    if (ASSERTED.some((name) => score(name) < 100)) {
      passed = false;
      console.error(`${path} fails: ${failures(audits).join(", ")}`);
    }
  }
  await compareWithStatic(url, async (page) => {
    const result = await lighthouse(page, { port, logLevel: "error", onlyCategories: ["performance"] });
    return (result?.lhr.audits["largest-contentful-paint"]?.numericValue ?? Number.NaN) / 1_000;
  });
  await browser.close();
  return passed;
}

/** Compares the home page with the same page without scripts, for the table of the benchmarks. */
async function compareWithStatic(url: string, paint: (page: string) => Promise<number>): Promise<void> {
  const staticServer = withoutScript(url).listen(0, "127.0.0.1");
  await once(staticServer, "listening");
  const address = staticServer.address();
  if (!address || typeof address === "string") throw new Error("No free port.");
  const figures: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    figures.push({ ours: await paint(url), theirs: await paint(`http://127.0.0.1:${address.port}`) });
  staticServer.close();
  figures.sort((a, b) => a.ours / a.theirs - b.ours / b.theirs);
  const { ours, theirs } = figures[ROUNDS >> 1] ?? { ours: Number.NaN, theirs: Number.NaN };
  const row = {
    work: "the first page on a phone, largest paint",
    unit: "s",
    ours,
    theirs,
    ratio: ours / theirs,
  };
  const beside = { beside: "the same page without script", aim: "≤ 1.7" };
  await appendFile(resolve(ROOT, "target/bench/figures.jsonl"), `${JSON.stringify({ ...row, ...beside })}\n`);
}

function withoutScript(url: string): Server {
  return createHttpServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? "/", url));
    const type = answer.headers.get("content-type") ?? "";
    const body = Buffer.from(await answer.arrayBuffer());
    const script = /<script\b[^>]*>[\s\S]*?<\/script>|<link[^>]+rel="modulepreload"[^>]*>/g;
    const sent = type.startsWith("text/html") ? Buffer.from(body.toString().replace(script, "")) : body;
    if (type.startsWith("font/")) response.writeHead(200, { "content-type": type }).end(sent);
    else
      response
        .writeHead(200, { "content-type": type, "content-encoding": "br" })
        .end(brotliCompressSync(sent));
  });
}

function failures(audits: Report["audits"]): string[] {
  return Object.entries(audits)
    .filter(([, { score, scoreDisplayMode }]) => scoreDisplayMode === "binary" && score === 0)
    .map(([name]) => name);
}

const home = await mkdtemp(join(tmpdir(), "tradebahi-lighthouse-"));
// The Postgres user must have access: if root starts the server, the database would otherwise be stored elsewhere.
await chmod(home, 0o711);
const url = `http://127.0.0.1:${await freePort()}`;
const server = spawn(
  join(BINARY, "tradebahi"),
  [
    ["serve", "--data-dir", join(home, "data"), "--web-dir", SITE_DIR],
    ["--listen", new URL(url).host, "--grpc-listen", `127.0.0.1:${await freePort()}`],
  ].flat(),
  { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] },
);
process.once("exit", () => server.kill("SIGKILL"));
try {
  await waitUntilReady(server, url);
  process.exitCode = (await measure(url)) ? 0 : 1;
} finally {
  const ended = server.exitCode === null ? once(server, "exit") : undefined;
  server.kill("SIGTERM");
  await ended;
  await rm(home, { recursive: true, force: true });
}
