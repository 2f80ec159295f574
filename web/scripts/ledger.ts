/**
 * Checks that every statement of the specification and every finding has a test.
 *
 * Titles of TypeScript tests begin with the ids that they check: `[2C-07] [T2] …`. The name of a Rust test begins with the
 * id of a finding: `t2_…`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STATEMENTS = "web/tests/e2e/spec-ledger.md";
const FINDINGS = "web/tests/e2e/findings.md";
/** Number of statements in the specification, so that none can be removed together with its test. */
const STATEMENT_COUNT = 300;
/** Number of findings, for the same reason. */
const FINDING_COUNT = 44;
/** Findings that have no test yet. */
const OPEN_FINDINGS: readonly string[] = [];
const FOLDERS = ["web/app", "web/scripts", "web/tests", "crates"];
const STATEMENT_ID = /^\d[A-Z]-\d\d$/;
/** Ids at the start of a test title. */
const TITLE = /["'`]((?:\[(?:\d[A-Z]-\d\d|[TCSW]\d+)\] ?)+)/g;
const RUST_TEST = /^\s*(?:async )?fn ([tcsw]\d+)_/gm;

/** Reads the statements of the specification: id and areas. */
async function readStatements(): Promise<Map<string, string[]>> {
  const rows = (await readFile(join(ROOT, STATEMENTS), "utf8")).matchAll(
    /^\| (\d[A-Z]-\d\d) \|.*\| ([^|]*) \|$/gm,
  );
  return new Map(Array.from(rows, ([, id = "", areas = ""]) => [id, areas.split(", ")]));
}

async function readFindings(): Promise<string[]> {
  const rows = (await readFile(join(ROOT, FINDINGS), "utf8")).matchAll(/^\| ([TCSW]\d+) \|/gm);
  return Array.from(rows, ([, id = ""]) => id);
}

/** Returns the ids in the titles of the tests in a file. */
function idsInTitles(name: string, source: string): string[] {
  if (/\.(spec|test)\.tsx?$/.test(name)) {
    return Array.from(source.matchAll(TITLE)).flatMap(([, ids = ""]) => ids.match(/[^[\] ]+/g) ?? []);
  }
  if (!name.endsWith(".rs")) return [];
  return Array.from(source.matchAll(RUST_TEST), ([, id = ""]) => id.toUpperCase());
}

/** Collects the ids in test titles, with their files. */
async function readTestIds(): Promise<Map<string, Set<string>>> {
  const filesById = new Map<string, Set<string>>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!/\.(rs|tsx?)$/.test(name)) continue;
      for (const id of idsInTitles(name, await readFile(join(ROOT, folder, name), "utf8"))) {
        filesById.set(id, (filesById.get(id) ?? new Set()).add(join(folder, name)));
      }
    }
  }
  return filesById;
}

function report(statements: Map<string, string[]>, tested: ReadonlySet<string>): void {
  const open = new Map<string, { ids: string[]; all: number }>();
  for (const [id, areas] of statements) {
    for (const area of areas) {
      const group = open.get(area) ?? { ids: [], all: 0 };
      group.all += 1;
      if (!tested.has(id)) group.ids.push(id);
      open.set(area, group);
    }
  }
  for (const [area, { ids, all }] of open) {
    console.log(
      `${area}: ${all - ids.length} of ${all} tested${ids.length > 0 ? `; open: ${ids.join(" ")}` : ""}`,
    );
  }
  console.log(`Specification: ${tested.size} of ${statements.size} statements have a test.`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

const [statements, findings, filesById] = await Promise.all([
  readStatements(),
  readFindings(),
  readTestIds(),
]);
if (statements.size !== STATEMENT_COUNT) {
  fail(`${STATEMENTS} has ${statements.size} statements, not ${STATEMENT_COUNT}.`);
}
if (findings.length !== FINDING_COUNT)
  fail(`${FINDINGS} has ${findings.length} findings, not ${FINDING_COUNT}.`);
for (const [id, files] of filesById) {
  const isKnown = STATEMENT_ID.test(id) ? statements.has(id) : findings.includes(id);
  if (!isKnown) fail(`[${id}] is neither a statement nor a finding: ${[...files].join(", ")}`);
  if (OPEN_FINDINGS.includes(id)) fail(`[${id}] has a test, so it is not open.`);
}
const untested = [...statements.keys()].filter((id) => !filesById.has(id));
if (untested.length > 0) fail(`Statements without a test: ${untested.join(" ")}`);
report(statements, new Set([...statements.keys()].filter((id) => filesById.has(id))));

for (const id of findings) {
  const files = filesById.get(id);
  if (files) console.log(`${id}: ${[...files].join(", ")}`);
  else if (!OPEN_FINDINGS.includes(id)) fail(`[${id}] has no test.`);
}
console.log(`Findings: ${findings.length - OPEN_FINDINGS.length} of ${findings.length} have a test.`);
