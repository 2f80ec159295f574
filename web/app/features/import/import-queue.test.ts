import { describe, expect, it, vi } from "vitest";
import { type Checked, ImportQueue, type Sender, type Stored } from "#features/import/import-queue.ts";
import type { Preview, Report } from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";

const BOOK = { broker: "zerodha", tradetype: "equity" } as const;
const OTHER = { broker: "groww", tradetype: "equity" } as const;
const REPORT: Report = { ...aPreview, changeId: "1", corrected: 0 };
const DOUBTFUL: Preview = { ...aPreview, rejectedTotal: 2 };
const file = (name: string, text = "x", lastModified = 1) => new File([text], name, { lastModified });

/** A server that answers what it was told to, in the order of the requests; what it was asked stands in `asked`. */
function played(checks: Checked[], stores: Stored[] = []) {
  const asked: string[] = [];
  const news: string[] = [];
  let settled = () => {};
  let onPause = () => {};
  const sender: Sender = {
    async check({ name }, { broker }) {
      asked.push(`check ${name} ${broker}`);
      return next(checks);
    },
    async recall(id) {
      asked.push(`recall ${id}`);
      return next(checks);
    },
    async store({ state }, choices) {
      asked.push(`store ${state} ${JSON.stringify(choices)}`);
      return next(stores);
    },
    async pause(seconds) {
      asked.push(`pause ${seconds}`);
      onPause();
    },
  };
  const queue = new ImportQueue(async () => sender, {
    onBegin: () => news.push("begin"),
    onStored: ({ added }) => news.push(`stored ${added}`),
    onOpen: () => news.push("open"),
    onSettled: () => settled(),
  });
  return {
    queue,
    asked,
    news,
    /** Does something in each pause. */
    inPauses(act: () => void) {
      onPause = act;
    },
    phases: () => queue.items().map(({ state }) => state.phase),
    /** Does something, and waits until nothing is under way. */
    rest(act: () => void): Promise<void> {
      return new Promise((resolve) => {
        settled = resolve;
        act();
      });
    },
  };
}

function next<T>(answers: T[]): T {
  const answer = answers.shift();
  if (!answer) throw new Error("The server was not told what to answer.");
  return answer;
}

const preview = (change: Partial<Preview> = {}): Checked => ({
  kind: "preview",
  preview: { ...aPreview, ...change },
});
const done: Stored = { kind: "done", report: REPORT };
const lost = { title: "Error uploading file.", text: "", retry: true, open: true };

describe("submit", () => {
  it("stores a clean file at once", async () => {
    const { queue, asked, news, phases, rest } = played([preview()], [done]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    expect(asked).toEqual(["check a.csv zerodha", 'store s1 {"one":{}}']);
    expect(news).toEqual(["begin", "stored 40"]);
    expect(phases()).toEqual(["done"]);
  });

  it("takes one file after the other, and holds back the doubtful ones alone", async () => {
    const { queue, asked, phases, rest } = played([preview(), preview(DOUBTFUL), preview()], [done, done]);
    queue.choose([file("a.csv"), file("b.csv"), file("c.csv")], BOOK);
    await rest(() => queue.submit(OTHER));
    expect(asked.map((words) => words.split(" ", 2).join(" "))).toEqual([
      "check a.csv",
      "store s1",
      "check b.csv",
      "check c.csv",
      "store s1",
    ]);
    expect(phases()).toEqual(["done", "review", "done"]);
  });

  it("goes on after a file that fails", async () => {
    const { queue, phases, news, rest } = played(
      [{ kind: "failed", failure: { ...lost, open: false } }, preview()],
      [done],
    );
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    expect(phases()).toEqual(["failed", "done"]);
    expect(news).toEqual(["begin", "stored 40"]);
  });

  it("puts a file into the book that it is of once that is confirmed", async () => {
    const { queue, asked, phases, rest } = played([{ kind: "mismatch", found: OTHER }, preview()], [done]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    expect(phases()).toEqual(["mismatch"]);
    const [item] = queue.items();
    await rest(() => queue.confirm(item?.id ?? 0));
    expect(asked[1]).toBe("check a.csv groww");
    expect(phases()).toEqual(["done"]);
  });

  it("leaves a file chosen whose question is answered with Cancel", async () => {
    const { queue, asked, phases, rest } = played([{ kind: "mismatch", found: OTHER }]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    queue.cancel(queue.items()[0]?.id ?? 0);
    expect(phases()).toEqual(["chosen"]);
    expect(asked).toHaveLength(1);
  });
});

describe("review", () => {
  it("stores what was looked at, with the choices", async () => {
    const { queue, asked, phases, rest } = played([preview({ conflictTotal: 1 })], [done]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    queue.decide(queue.items()[0]?.id ?? 0, { one: { t7: "take" } });
    await rest(() => queue.store());
    expect(asked[1]).toBe('store s1 {"one":{"t7":"take"}}');
    expect(phases()).toEqual(["done"]);
  });

  it("asks again when the book changed, and sends the new state then", async () => {
    const changed: Stored = { kind: "changed", preview: { ...DOUBTFUL, state: "s2", added: 38 } };
    const { queue, asked, rest } = played([preview(DOUBTFUL)], [changed, done]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    await rest(() => queue.store());
    expect(queue.items()[0]).toMatchObject({
      state: { phase: "review", changed: true },
      preview: { added: 38 },
    });
    await rest(() => queue.store());
    expect(asked.slice(1)).toEqual(['store s1 {"one":{}}', 'store s2 {"one":{}}']);
  });

  it("does not ask again for what its own other file brought", async () => {
    const fewer: Stored = {
      kind: "changed",
      preview: { ...DOUBTFUL, state: "s2", added: 10, duplicates: 30 },
    };
    const { queue, news, phases, rest } = played(
      [preview(DOUBTFUL), preview(DOUBTFUL)],
      [done, fewer, { kind: "done", report: { ...REPORT, added: 10 } }],
    );
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    await rest(() => queue.store());
    expect(phases()).toEqual(["done", "done"]);
    expect(news).toEqual(["begin", "stored 40", "stored 10"]);
  });

  it("asks again for what its own other file brought when that raises a new doubt", async () => {
    const worse: Stored = { kind: "changed", preview: { ...DOUBTFUL, conflictTotal: 1 } };
    const { queue, phases, rest } = played([preview(DOUBTFUL), preview(DOUBTFUL)], [done, worse]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    await rest(() => queue.store());
    expect(phases()).toEqual(["done", "review"]);
  });

  it("is put away without storing anything: the file stays chosen", async () => {
    const { queue, asked, phases, rest } = played([preview(DOUBTFUL), preview(DOUBTFUL)]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    queue.discard();
    expect(phases()).toEqual(["chosen"]);
    await rest(() => queue.submit(BOOK));
    expect(asked).toEqual(["check a.csv zerodha", "check a.csv zerodha"]);
  });

  it("comes back after a reload, and is looked at again even where it is clean by now", async () => {
    const { queue, asked, phases, rest } = played([preview()], [done]);
    await rest(() => queue.restore([{ name: "a.csv", book: BOOK, previewId: "p1", choices: { one: {} } }]));
    expect(phases()).toEqual(["review"]);
    await rest(() => queue.store());
    expect(asked).toEqual(["recall p1", 'store s1 {"one":{}}']);
    expect(phases()).toEqual(["done"]);
  });

  it("puts a restored one away for good: its file is gone", async () => {
    const { queue, rest } = played([preview(DOUBTFUL)]);
    await rest(() => queue.restore([{ name: "a.csv", book: BOOK, previewId: "p1", choices: { one: {} } }]));
    queue.discard();
    expect(queue.items()).toEqual([]);
  });
});

describe("a server that takes no more for a while", () => {
  const later = { kind: "later", seconds: 60 } as const;

  it("is waited for, before a check and before storing, and then asked the same again", async () => {
    const { queue, asked, phases, rest, inPauses } = played(
      [later, preview(), preview()],
      [later, later, done, done],
    );
    const shown: unknown[] = [];
    inPauses(() => shown.push(queue.items().map(({ state }) => state)));
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    expect(asked.map((words) => words.split(" ", 2).join(" "))).toEqual([
      ...[
        "check a.csv",
        "pause 60",
        "check a.csv",
        "store s1",
        "pause 60",
        "store s1",
        "pause 60",
        "store s1",
      ],
      ...["check b.csv", "store s1"],
    ]);
    const wait = [{ phase: "waiting", seconds: 60 }, { phase: "waiting" }];
    expect(shown).toEqual([wait, wait, wait]);
    expect(phases()).toEqual(["done", "done"]);
  });

  it("is not waited for any more once that is cancelled: the next file takes the turn", async () => {
    const { queue, asked, phases, rest, inPauses } = played([later, preview()], [done]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    inPauses(() => queue.cancel(queue.items()[0]?.id ?? 0));
    await rest(() => queue.submit(BOOK));
    expect(asked.map((words) => words.split(" ", 2).join(" "))).toEqual([
      ...["check a.csv", "pause 60", "check b.csv", "store s1"],
    ]);
    expect(phases()).toEqual(["cancelled", "done"]);
  });
});

describe("what goes wrong", () => {
  it("stores the same preview again after a lost answer", async () => {
    const { queue, asked, news, rest } = played([preview()], [{ kind: "failed", failure: lost }, done]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    expect(news).toEqual(["begin", "open"]);
    await rest(() => queue.retry(queue.items()[0]?.id ?? 0));
    expect(asked.slice(1)).toEqual(['store s1 {"one":{}}', 'store s1 {"one":{}}']);
  });

  it("checks a file anew when the server has forgotten it", async () => {
    const gone: Stored = { kind: "failed", failure: { ...lost, retry: false }, gone: true };
    const { queue, asked, rest } = played([preview(DOUBTFUL), preview()], [gone, done]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    await rest(() => queue.store());
    await rest(() => queue.submit(BOOK));
    expect(asked.map((words) => words.split(" ")[0])).toEqual(["check", "store", "check", "store"]);
  });

  it("lets go of what was refused with the next choice, and takes the same file once", async () => {
    const refused = { kind: "failed", failure: { ...lost, retry: false, open: false } } as const;
    const { queue, rest } = played([refused]);
    queue.choose([file("a.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    queue.choose([file("b.csv"), file("c.csv")], BOOK);
    const second = file("b.csv");
    queue.choose([second], BOOK);
    expect(queue.items().map(({ name }) => name)).toEqual(["c.csv", "b.csv"]);
    expect(queue.items()[1]?.file).toBe(second);
  });

  it.each([
    ["size", file("tradebook.csv", "xy")],
    ["date", file("tradebook.csv", "x", 2)],
  ])("keeps two files of one name that differ in their %s", (_, other) => {
    const { queue } = played([]);
    queue.choose([file("tradebook.csv")], BOOK);
    queue.choose([other], BOOK);
    expect(queue.items().map(({ name }) => name)).toEqual(["tradebook.csv", "tradebook.csv"]);
  });

  it("breaks everything off when it is stopped, and tells of no end: nobody is there to be led on", async () => {
    const { queue, asked, phases, rest, inPauses } = played([{ kind: "later", seconds: 60 }]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    inPauses(queue.stop);
    const told = vi.fn();
    void rest(() => queue.submit(BOOK)).then(told);
    await new Promise((resolve) => setTimeout(resolve));
    expect(asked).toEqual(["check a.csv zerodha", "pause 60"]);
    expect(phases()).toEqual([]);
    expect(told).not.toHaveBeenCalled();
  });

  it("ends what is under way, and goes on with the next", async () => {
    const { queue, phases, rest } = played([{ kind: "cancelled", open: false }, preview()], [done]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await rest(() => queue.submit(BOOK));
    expect(phases()).toEqual(["cancelled", "done"]);
  });
});
