/**
 * Which statements of the spec have a test. The titles of tests begin with the ids that they prove, `[2C-07] …`. Fails
 * where a statement has none.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const LEDGER = join(WEB, "tests/e2e/spec-ledger.md");
/** As many as the spec has: none goes unseen, not even together with its test. */
const STATEMENTS = 300;
const PLACES = ["app", "scripts", "tests"];
/** Ids at the head of a title. */
const TITLE = /["'`]((?:\[\d[A-Z]-\d\d\] ?)+)/g;
const ID = /\d[A-Z]-\d\d/g;

/** Each id of the ledger with the parts of the work that it belongs to. */
async function statements(): Promise<Map<string, string[]>> {
  const rows = (await readFile(LEDGER, "utf8")).matchAll(/^\| (\d[A-Z]-\d\d) \|.*\| ([^|]*) \|$/gm);
  return new Map(Array.from(rows, ([, id = "", work = ""]) => [id, work.split(", ")]));
}

/** Each id that a title names, with the files of these titles. */
async function titles(): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for (const place of PLACES) {
    for (const name of await readdir(join(WEB, place), { recursive: true })) {
      if (!/\.(spec|test)\.tsx?$/.test(name)) continue;
      for (const [, ids = ""] of (await readFile(join(WEB, place, name), "utf8")).matchAll(TITLE)) {
        for (const id of ids.match(ID) ?? []) {
          found.set(id, (found.get(id) ?? new Set()).add(join(place, name)));
        }
      }
    }
  }
  return found;
}

function report(ledger: Map<string, string[]>, proven: ReadonlySet<string>): void {
  const open = new Map<string, { ids: string[]; all: number }>();
  for (const [id, work] of ledger) {
    for (const part of work) {
      const group = open.get(part) ?? { ids: [], all: 0 };
      group.all += 1;
      if (!proven.has(id)) group.ids.push(id);
      open.set(part, group);
    }
  }
  for (const [part, { ids, all }] of open) {
    console.log(
      `${part}: ${all - ids.length} of ${all} proven${ids.length > 0 ? `; open: ${ids.join(" ")}` : ""}`,
    );
  }
  console.log(`The spec: ${proven.size} of ${ledger.size} statements are proven by a test.`);
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 1;
}

const [ledger, named] = await Promise.all([statements(), titles()]);
if (ledger.size !== STATEMENTS) fail(`${LEDGER} has ${ledger.size} statements, not ${STATEMENTS}.`);
for (const [id, files] of named) {
  if (!ledger.has(id)) fail(`[${id}] is no statement of the ledger: ${[...files].join(", ")}`);
}
const open = [...ledger.keys()].filter((id) => !named.has(id));
if (open.length > 0) fail(`No test names them: ${open.join(" ")}`);
report(ledger, new Set([...ledger.keys()].filter((id) => named.has(id))));
