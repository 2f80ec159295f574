import { strToU8, type Zippable, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { compareByDay } from "#features/import/file-order.ts";
import { isArchive, openArchives } from "#features/import/open-archives.ts";
import { ArchiveError, readArchive } from "#features/import/read-archive.ts";

const zip = (content: Zippable, name = "notes.zip") => new File([new Uint8Array(zipSync(content))], name);
const text = strToU8("Date,Symbol\n2026-06-05,SBIN\n");

/** Changes two bytes of each header in the list of an archive. */
async function withField(archive: File, offset: number, value: number, bytes: 2 | 4): Promise<File> {
  const view = new DataView(await archive.arrayBuffer());
  for (let at = 0; at + 46 <= view.byteLength; at += 1) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    if (bytes === 2) view.setUint16(at + offset, value, true);
    else view.setUint32(at + offset, value, true);
  }
  return new File([view], archive.name);
}

const failure = (archive: File) =>
  readArchive(archive, 400).then(
    () => "opened",
    (error: unknown) => (error instanceof ArchiveError ? error.message : `unexpected: ${error}`),
  );

describe("archive", () => {
  it("has its supported files in the order of their days and names", async () => {
    const archive = zip({
      "2026/06-05-2026-notes.pdf": text,
      "2026/deep/05-06-2026-notes.pdf": text,
      "01-07-2026-notes.pdf": [text, { level: 0 }],
      "b10.csv": text,
      "b9.csv": text,
    });
    const steps: string[] = [];
    const { files, skipped, omitted } = await readArchive(archive, 400, (done, total) =>
      steps.push(`${done}/${total}`),
    );
    expect(files.map(({ name }) => name)).toEqual([
      "06-05-2026-notes.pdf",
      "05-06-2026-notes.pdf",
      "01-07-2026-notes.pdf",
      "b9.csv",
      "b10.csv",
    ]);
    for (const file of files) expect(new Uint8Array(await file.arrayBuffer())).toEqual(text);
    expect([skipped, omitted, steps]).toEqual([0, 0, ["0/5", "1/5", "2/5", "3/5", "4/5"]]);
  });

  it("is opened without folders, hidden files, files of macOS, archives and other kinds", async () => {
    const { files, skipped } = await readArchive(
      zip({
        "a.csv": text,
        "folder/": new Uint8Array(),
        "__MACOSX/._a.csv": text,
        ".hidden.csv": text,
        ".git/a.csv": text,
        "inner.zip": text,
        "readme.txt": text,
      }),
      400,
    );
    expect(files.map(({ name }) => name)).toEqual(["a.csv"]);
    expect(skipped).toBe(2);
  });

  it("gives no more files than asked for", async () => {
    const { files, omitted } = await readArchive(zip({ "a.csv": text, "b.csv": text, "c.csv": text }), 2);
    expect([files.length, omitted]).toEqual([2, 1]);
  });

  it("with a password gets a message", async () => {
    expect(await failure(await withField(zip({ "a.csv": text }), 8, 1, 2))).toContain("has a password");
  });

  it("with an unknown method, too many entries or a wrong list gets a message", async () => {
    expect(await failure(await withField(zip({ "a.csv": text }), 10, 14, 2))).toContain("not supported");
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`${index}.csv`, text]));
    expect(await failure(zip(many))).toContain("too many files");
    const archive = new Uint8Array(await zip({ "a.csv": text }).arrayBuffer());
    for (const size of [0, 10, 30, archive.length - 30, archive.length - 1])
      expect(await failure(new File([archive.slice(0, size)], "a.zip"))).toContain("damaged");
    expect(await failure(await withField(zip({ "a.csv": text }), 42, 9_999, 4))).toContain("damaged");
    expect(await failure(await withField(zip({ "a.csv": text }), 28, 60_000, 2))).toContain("damaged");
    expect(await failure(await withField(zip({ "a.csv": text }), 20, 3, 4))).toContain("damaged");
  });

  it("that expands far more than usual is rejected before it is expanded", async () => {
    const zeros = new Uint8Array(2 * 1024 * 1024);
    expect(await failure(zip({ "a.csv": zeros }))).toContain("too large");
    const many = zip(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}.csv`, text])));
    const packed = await withField(many, 20, 1024 * 1024, 4);
    expect(await failure(await withField(packed, 24, 30 * 1024 * 1024, 4))).toContain("too large");
  });

  it("that expands to more than it states is rejected at once", async () => {
    const zeros = new Uint8Array(1024 * 1024);
    const archive = await withField(zip({ "a.csv": zeros }), 24, 1000, 4);
    expect(await failure(archive)).toContain("damaged");
  });
});

describe("files of a drop", () => {
  it("contain those of archives; a workbook is not opened", async () => {
    const workbook = zip({ "xl/workbook.xml": text, "a.csv": text }, "trades.xlsx");
    expect([isArchive(workbook), isArchive({ name: "A.ZIP" })]).toEqual([false, true]);
    const { files, messages } = await openArchives(
      [workbook, zip({ "a.csv": text, "b.txt": text }), new File(["x"], "broken.zip")],
      400,
      () => {},
    );
    expect(files.map(({ name }) => name)).toEqual(["trades.xlsx", "a.csv"]);
    expect(messages).toEqual([
      "notes.zip: 1 file of another kind was not added.",
      "broken.zip: The ZIP file is damaged. Download it again.",
    ]);
  });

  it("are limited over all archives", async () => {
    const archives = [zip({ "a.csv": text, "b.csv": text }, "1.zip"), zip({ "c.csv": text }, "2.zip")];
    const { files, messages } = await openArchives(archives, 2, () => {});
    expect(files).toHaveLength(2);
    expect(messages).toEqual(["2.zip: 1 file was not added, because at most 2 more are possible."]);
  });

  it("are compared by the day in their names, in any form", () => {
    const names = [
      "10-02-2026-a.pdf",
      "CN_20260201_X.pdf",
      "2026-01-31-a.pdf",
      "b2.csv",
      "b10.csv",
      "99-99-2026.pdf",
    ];
    expect(names.toReversed().toSorted(compareByDay)).toEqual([
      "2026-01-31-a.pdf",
      "CN_20260201_X.pdf",
      "10-02-2026-a.pdf",
      "99-99-2026.pdf",
      "b2.csv",
      "b10.csv",
    ]);
  });
});
