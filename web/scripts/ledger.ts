/**
 * Checks that every statement of the specification has a test. Test titles begin with the ids of the statements that they
 * check: `[2C-07] …`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const LEDGER = join(WEB, "tests/e2e/spec-ledger.md");
/** Number of statements in the specification, so that none can be removed together with its test. */
const STATEMENTS = 300;
const FOLDERS = ["app", "scripts", "tests"];
/** Ids at the start of a test title. */
const TITLE = /["'`]((?:\[\d[A-Z]-\d\d\] ?)+)/g;
const ID = /\d[A-Z]-\d\d/g;

/** Reads the statements of the ledger: id and areas. */
async function readStatements(): Promise<Map<string, string[]>> {
  const rows = (await readFile(LEDGER, "utf8")).matchAll(/^\| (\d[A-Z]-\d\d) \|.*\| ([^|]*) \|$/gm);
  return new Map(Array.from(rows, ([, id = "", areas = ""]) => [id, areas.split(", ")]));
}

/** Collects the ids in test titles, with their files. */
async function readTestIds(): Promise<Map<string, Set<string>>> {
  const filesById = new Map<string, Set<string>>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(WEB, folder), { recursive: true })) {
      if (!/\.(spec|test)\.tsx?$/.test(name)) continue;
      for (const [, ids = ""] of (await readFile(join(WEB, folder, name), "utf8")).matchAll(TITLE)) {
        for (const id of ids.match(ID) ?? []) {
          filesById.set(id, (filesById.get(id) ?? new Set()).add(join(folder, name)));
        }
      }
    }
  }
  return filesById;
}

function report(ledger: Map<string, string[]>, tested: ReadonlySet<string>): void {
  const open = new Map<string, { ids: string[]; all: number }>();
  for (const [id, areas] of ledger) {
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
  console.log(`Specification: ${tested.size} of ${ledger.size} statements have a test.`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

const [ledger, testIds] = await Promise.all([readStatements(), readTestIds()]);
if (ledger.size !== STATEMENTS) fail(`${LEDGER} has ${ledger.size} statements, not ${STATEMENTS}.`);
for (const [id, files] of testIds) {
  if (!ledger.has(id)) fail(`[${id}] is not a statement of the ledger: ${[...files].join(", ")}`);
}
const open = [...ledger.keys()].filter((id) => !testIds.has(id));
if (open.length > 0) fail(`Statements without a test: ${open.join(" ")}`);
report(ledger, new Set([...ledger.keys()].filter((id) => testIds.has(id))));
