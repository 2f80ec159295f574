import { describe, expect, it, vi } from "vitest";
import type { CheckResult, ImportApi, StoreResult } from "#features/import/import-api.ts";
import { needsAnswer } from "#features/import/import-item.ts";
import { ImportQueue } from "#features/import/import-queue.ts";
import type { Preview, Report } from "#features/import/preview.ts";
import { aPreview } from "#features/import/preview-fixture.ts";

const BOOK = { broker: "zerodha", tradetype: "equity" } as const;
const OTHER = { broker: "groww", tradetype: "equity" } as const;
const REPORT: Report = { ...aPreview, changeId: "1", corrected: 0 };
const WITH_ISSUES: Preview = { ...aPreview, rejectedTotal: 2 };
const file = (name: string, text = "x", lastModified = 1) => new File([text], name, { lastModified });

/** Creates a queue with a fake server that returns the given results in order, and records requests and events. */
function createQueue(checks: CheckResult[], stores: StoreResult[] = []) {
  const requests: string[] = [];
  const events: string[] = [];
  let settled = () => {};
  let onWait = () => {};
  const api: ImportApi = {
    async check({ name }, { broker, tradetype }, confirmed, password) {
      const withPassword = password ? ` with ${password}` : "";
      requests.push(`check ${name} ${confirmed ? `detect ${tradetype}` : broker}${withPassword}`);
      return next(checks);
    },
    async loadPreview(id, batch) {
      requests.push(`load ${[id, ...batch].join(" with ")}`);
      return next(checks);
    },
    async store({ state }, choices) {
      requests.push(`store ${state} ${JSON.stringify(choices)}`);
      return next(stores);
    },
    async wait(seconds) {
      requests.push(`wait ${seconds}`);
      onWait();
    },
  };
  const queue = new ImportQueue(async () => api, {
    onStart: () => events.push("start"),
    onStored: ({ added }) => events.push(`stored ${added}`),
    onMaybeStored: () => events.push("maybe stored"),
    onSettled: () => settled(),
  });
  return {
    queue,
    requests,
    events,
    /** Runs an action during each wait. */
    duringWaits(action: () => void) {
      onWait = action;
    },
    phases: () => queue.items().map(({ state }) => state.phase),
    /** Runs an action and waits until the queue is empty. */
    settle(action: () => void): Promise<void> {
      return new Promise((resolve) => {
        settled = resolve;
        action();
      });
    },
  };
}

function next<T>(results: T[]): T {
  const result = results.shift();
  if (!result) throw new Error("no result is left for this request");
  return result;
}

const preview = (change: Partial<Preview> = {}): CheckResult => ({
  kind: "preview",
  preview: { ...aPreview, ...change },
});
const done: StoreResult = { kind: "done", report: REPORT };
const lost = { title: "Error uploading file.", text: "", retry: true, maybeStored: true };

describe("submit", () => {
  it("leaves a ledger to its own review, and drops it with the next files once it is imported", async () => {
    const { queue, phases, settle } = createQueue(
      [{ kind: "ledger" }, preview()],
      [{ kind: "done", report: REPORT }],
    );
    queue.choose([file("ledger.csv"), file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["ledger", "done"]);
    expect(needsAnswer(queue.items())).toBe(true);
    queue.choose([file("b.csv")], BOOK);
    expect(phases()).toEqual(["ledger", "chosen"]);
    queue.finishLedger(queue.items()[0]?.id ?? 0, 12);
    expect(needsAnswer(queue.items())).toBe(false);
    queue.choose([], BOOK);
    expect(phases()).toEqual(["chosen"]);
  });

  it("stores a file without issues at once", async () => {
    const { queue, requests, events, phases, settle } = createQueue([preview()], [done]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(requests).toEqual(["check a.csv zerodha", 'store s1 {"byId":{}}']);
    expect(events).toEqual(["start", "stored 40"]);
    expect(phases()).toEqual(["done"]);
  });

  it("processes one file after the other, and reviews only those with issues", async () => {
    const { queue, requests, phases, settle } = createQueue(
      [preview(), preview(WITH_ISSUES), preview(), preview(WITH_ISSUES)],
      [done, done],
    );
    queue.choose([file("a.csv"), file("b.csv"), file("c.csv")], BOOK);
    await settle(() => queue.submit(OTHER));
    expect(requests.map((request) => request.split(" ", 2).join(" "))).toEqual([
      "check a.csv",
      "check b.csv",
      "check c.csv",
      "store s1",
      "store s1",
      // The imports may have resolved its issues.
      "load p1",
    ]);
    expect(phases()).toEqual(["done", "review", "done"]);
  });

  it("asks for the password of protected files once", async () => {
    const locked: CheckResult = {
      kind: "failed",
      failure: { ...lost, retry: false, maybeStored: false, needsPassword: true },
    };
    const { queue, requests, phases, settle } = createQueue(
      [locked, locked, preview(), preview(), preview(), preview()],
      [done, done, done, done],
    );
    queue.choose([file("a.pdf"), file("b.pdf")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["failed", "failed"]);
    await settle(() => queue.unlock("ABCDE1234F"));
    expect(phases()).toEqual(["done", "done"]);
    // Other kinds of files do not need it.
    queue.choose([file("c.pdf"), file("d.xlsx")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(requests.filter((request) => request.startsWith("check"))).toEqual([
      "check a.pdf zerodha",
      "check b.pdf zerodha",
      "check a.pdf zerodha with ABCDE1234F",
      "check b.pdf zerodha with ABCDE1234F",
      "check c.pdf zerodha with ABCDE1234F",
      "check d.xlsx zerodha",
    ]);
  });

  it("knows the password that opened each file", async () => {
    const rejected = { ...lost, retry: false, maybeStored: false, hasLayout: true };
    const unread: CheckResult = { kind: "failed", failure: rejected };
    const locked: CheckResult = {
      kind: "failed",
      failure: { ...rejected, hasLayout: false, needsPassword: true },
    };
    const { queue, settle } = createQueue([locked, locked, unread, locked, unread]);
    queue.choose([file("a.pdf"), file("b.pdf")], BOOK);
    await settle(() => queue.submit(BOOK));
    await settle(() => queue.unlock("ABCDE1234F"));
    await settle(() => queue.unlock("FGHIJ5678K"));
    expect(queue.items().map(({ id }) => queue.passwordOf(id))).toEqual(["ABCDE1234F", "FGHIJ5678K"]);
  });

  it("checks a file again if the password is typed while it is sent without it", async () => {
    const locked: CheckResult = {
      kind: "failed",
      failure: { ...lost, retry: false, maybeStored: false, needsPassword: true },
    };
    const { queue, requests, phases, settle } = createQueue([locked, preview()], [done]);
    queue.choose([file("a.pdf")], BOOK);
    await settle(() => {
      queue.submit(BOOK);
      void Promise.resolve().then(() => queue.unlock("ABCDE1234F"));
    });
    expect(phases()).toEqual(["done"]);
    expect(requests.filter((request) => request.startsWith("check"))).toEqual([
      "check a.pdf zerodha",
      "check a.pdf zerodha with ABCDE1234F",
    ]);
  });

  it("continues after a failed file", async () => {
    const { queue, phases, events, settle } = createQueue(
      [{ kind: "failed", failure: { ...lost, maybeStored: false } }, preview()],
      [done],
    );
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["failed", "done"]);
    expect(events).toEqual(["start", "stored 40"]);
  });

  it("imports a file into the detected book after confirmation", async () => {
    const { queue, requests, phases, settle } = createQueue(
      [{ kind: "mismatch", detected: OTHER }, preview()],
      [done],
    );
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["mismatch"]);
    const [item] = queue.items();
    await settle(() => queue.confirm(item?.id ?? 0));
    // Checked before the confirmation, and not sent again.
    expect(requests).toEqual(["check a.csv zerodha", "check a.csv groww", 'store s1 {"byId":{}}']);
    expect(phases()).toEqual(["done"]);
    expect(item?.book).toEqual(BOOK);
  });

  it("imports files of several brokers without a question if nothing is selected, the oldest trades first", async () => {
    const { queue, requests, phases, settle } = createQueue(
      [preview({ state: "new", from: "2026-07-01T03:45:00Z", broker: "upstox" }), preview({ state: "old" })],
      [done, done],
    );
    queue.choose([file("a.xlsx"), file("b.csv")], {});
    await settle(() => queue.submit({}));
    expect(requests).toEqual([
      "check a.xlsx detect equity",
      "check b.csv detect equity",
      'store old {"byId":{}}',
      'store new {"byId":{}}',
    ]);
    expect(phases()).toEqual(["done", "done"]);
  });

  it("imports both trade types of a file if none is selected", async () => {
    const { queue, requests, phases, settle } = createQueue(
      [preview({ otherSegmentRows: 3 }), preview({ tradetype: "fno", otherSegmentRows: 40 })],
      [done, done],
    );
    queue.choose([file("a.xlsx")], {});
    await settle(() => queue.submit({}));
    expect(requests.slice(0, 2)).toEqual(["check a.xlsx detect equity", "check a.xlsx detect fno"]);
    expect(queue.items().map(({ name }) => name)).toEqual(["a.xlsx", "a.xlsx (Future & Option)"]);
    expect(phases()).toEqual(["done", "done"]);
  });

  it("reviews a file with both trade types if one is selected", async () => {
    const { queue, phases, settle } = createQueue([preview({ otherSegmentRows: 3 })]);
    queue.choose([file("a.xlsx")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["review"]);
  });

  it("asks only about what is selected", async () => {
    const { queue, requests, phases, settle } = createQueue(
      [{ kind: "mismatch", detected: OTHER }, preview({ broker: "groww" })],
      [done],
    );
    queue.choose([file("a.xlsx")], { tradetype: "equity" });
    await settle(() => queue.submit({ tradetype: "equity" }));
    expect(requests.slice(0, 2)).toEqual(["check a.xlsx zerodha", "check a.xlsx groww"]);
    expect(phases()).toEqual(["done"]);
  });

  it("reviews a confirmed file with issues", async () => {
    const { queue, phases, settle } = createQueue([
      { kind: "mismatch", detected: OTHER },
      preview(WITH_ISSUES),
    ]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    await settle(() => queue.confirm(queue.items()[0]?.id ?? 0));
    expect(phases()).toEqual(["review"]);
    expect(queue.items()[0]?.book).toEqual(OTHER);
  });

  it("[T4] restores a file whose book is still to be confirmed", async () => {
    const { queue, requests, phases, settle } = createQueue([preview(), preview(), preview()], [done]);
    const choices = { byId: {} };
    await settle(() =>
      queue.restore([
        { name: "a.csv", book: BOOK, previewId: "p1", choices, detected: OTHER },
        { name: "b.csv", book: BOOK, previewId: "p2", choices, detected: undefined },
      ]),
    );
    expect(phases()).toEqual(["mismatch", "review"]);
    expect(queue.items()[0]?.state).toEqual({ phase: "mismatch", detected: OTHER });
    await settle(() => queue.confirm(queue.items()[0]?.id ?? 0));
    expect(phases()[0]).toBe("done");
    expect(requests[0]).toBe("load p1 with p2");
  });

  it("keeps a file chosen if the detected book is not confirmed", async () => {
    const { queue, requests, phases, settle } = createQueue([
      { kind: "mismatch", detected: OTHER },
      preview(),
    ]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    queue.cancel(queue.items()[0]?.id ?? 0);
    expect(phases()).toEqual(["chosen"]);
    expect(queue.items()[0]?.preview).toBeUndefined();
    expect(requests).toHaveLength(2);
  });
});

it("shows chosen and removed files at once, also right after the queue was restored", () => {
  const { queue } = createQueue([]);
  const shown: number[] = [];
  queue.subscribe(() => shown.push(queue.items().length));
  queue.restore([]);
  queue.choose([file("a.csv"), file("b.csv")], BOOK);
  queue.remove(queue.items()[0]?.id ?? 0);
  expect(shown).toEqual([0, 2, 1]);
});

describe("review", () => {
  it("stores the reviewed preview with the choices", async () => {
    const { queue, requests, phases, settle } = createQueue([preview({ conflictTotal: 1 })], [done]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    queue.decide(queue.items()[0]?.id ?? 0, { byId: { t7: "take" } });
    await settle(() => queue.store());
    expect(requests[1]).toBe('store s1 {"byId":{"t7":"take"}}');
    expect(phases()).toEqual(["done"]);
  });

  it("requires another review if the book changed, and then sends the new state", async () => {
    const changed: StoreResult = { kind: "changed", preview: { ...WITH_ISSUES, state: "s2", added: 38 } };
    const { queue, requests, settle } = createQueue([preview(WITH_ISSUES)], [changed, done]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    await settle(() => queue.store());
    expect(queue.items()[0]).toMatchObject({
      state: { phase: "review", changed: true },
      preview: { added: 38 },
    });
    await settle(() => queue.store());
    expect(requests.slice(1)).toEqual(['store s1 {"byId":{}}', 'store s2 {"byId":{}}']);
  });

  it("requires no review for trades imported by another file of the batch", async () => {
    const fewer: StoreResult = {
      kind: "changed",
      preview: { ...WITH_ISSUES, state: "s2", added: 10, duplicates: 30 },
    };
    const { queue, events, phases, settle } = createQueue(
      Array.from({ length: 4 }, (_, index) => preview({ ...WITH_ISSUES, id: `p${index % 2}` })),
      [done, fewer, { kind: "done", report: { ...REPORT, added: 10 } }],
    );
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    await settle(() => queue.store());
    expect(phases()).toEqual(["done", "done"]);
    expect(events).toEqual(["start", "stored 40", "stored 10"]);
  });

  it("requires a review if another file of the batch causes a new issue", async () => {
    const worse: StoreResult = { kind: "changed", preview: { ...WITH_ISSUES, conflictTotal: 1 } };
    const { queue, phases, settle } = createQueue(
      Array.from({ length: 5 }, (_, index) => preview({ ...WITH_ISSUES, id: `p${index % 2}` })),
      [done, worse],
    );
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    await settle(() => queue.store());
    expect(phases()).toEqual(["done", "review"]);
  });

  it("stores nothing if it is discarded, and the file stays chosen", async () => {
    const { queue, requests, phases, settle } = createQueue([preview(WITH_ISSUES), preview(WITH_ISSUES)]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    queue.discard();
    expect(phases()).toEqual(["chosen"]);
    await settle(() => queue.submit(BOOK));
    expect(requests).toEqual(["check a.csv zerodha", "check a.csv zerodha"]);
  });

  it("is restored after a reload, even if the file has no issues any more", async () => {
    const { queue, requests, phases, settle } = createQueue([preview()], [done]);
    await settle(() =>
      queue.restore([
        { name: "a.csv", book: BOOK, previewId: "p1", choices: { byId: {} }, detected: undefined },
      ]),
    );
    expect(phases()).toEqual(["review"]);
    await settle(() => queue.store());
    expect(requests).toEqual(["load p1", 'store s1 {"byId":{}}']);
    expect(phases()).toEqual(["done"]);
  });

  it("removes a discarded item that was restored, because its file is not available", async () => {
    const { queue, settle } = createQueue([preview(WITH_ISSUES)]);
    await settle(() =>
      queue.restore([
        { name: "a.csv", book: BOOK, previewId: "p1", choices: { byId: {} }, detected: undefined },
      ]),
    );
    queue.discard();
    expect(queue.items()).toEqual([]);
  });
});

describe("a batch", () => {
  const from = (year: number) => `${year}-04-01T03:45:00Z`;

  it("[T10] is stored in the order of its trades, however the files were chosen", async () => {
    const { queue, requests, settle } = createQueue(
      [2025, 2023, 2024].map((year) => preview({ id: `p${year}`, state: `s${year}`, from: from(year) })),
      [done, done, done],
    );
    queue.choose([file("a.csv"), file("b.csv"), file("c.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(requests.slice(3).map((request) => request.split(" ")[1])).toEqual(["s2023", "s2024", "s2025"]);
  });

  it("[T10] is reviewed as one: each file is checked again with the others", async () => {
    const sale = {
      row: null,
      column: "",
      value: "INFY",
      code: "sale_without_purchase",
      message: "",
      sheet: "",
    };
    const alone = { ...WITH_ISSUES, id: "p1", warnings: [sale], warningTotal: 1 };
    const { queue, requests, phases, settle } = createQueue([
      preview(alone),
      preview({ ...WITH_ISSUES, id: "p2" }),
      preview({ ...alone, warnings: [], warningTotal: 0 }),
      preview({ ...WITH_ISSUES, id: "p2" }),
    ]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(requests.slice(2)).toEqual(["load p1 with p2", "load p2 with p1"]);
    expect(phases()).toEqual(["review", "review"]);
    expect(queue.items()[0]?.preview?.warningTotal).toBe(0);
  });

  it("[T10] keeps the first result if the second check fails", async () => {
    const failed: CheckResult = { kind: "failed", failure: { ...lost, maybeStored: false } };
    const { queue, phases, settle } = createQueue([
      preview({ ...WITH_ISSUES, id: "p1" }),
      preview({ ...WITH_ISSUES, id: "p2" }),
      failed,
      failed,
    ]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["review", "review"]);
    expect(queue.items()[0]?.preview?.id).toBe("p1");
  });
});

describe("with an overloaded server", () => {
  const later = { kind: "retryLater", seconds: 60 } as const;

  it("waits and repeats the check or the import", async () => {
    const { queue, requests, phases, settle, duringWaits } = createQueue(
      [later, preview(), preview()],
      [later, later, done, done],
    );
    const shown: unknown[] = [];
    duringWaits(() => shown.push(queue.items().map(({ state }) => state)));
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(requests.map((request) => request.split(" ", 2).join(" "))).toEqual([
      ...["check a.csv", "check b.csv", "wait 60", "check a.csv"],
      ...["store s1", "wait 60", "store s1", "wait 60", "store s1", "store s1"],
    ]);
    const waiting = { phase: "waiting", seconds: 60 };
    const behind = [waiting, { phase: "waiting" }];
    expect(shown).toEqual([[waiting, { phase: "sending", share: 0 }], behind, behind]);
    expect(phases()).toEqual(["done", "done"]);
  });

  it("stops waiting after a cancellation and continues with the next file", async () => {
    const { queue, requests, phases, settle, duringWaits } = createQueue([later, preview()], [done]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    duringWaits(() => queue.cancel(queue.items()[0]?.id ?? 0));
    await settle(() => queue.submit(BOOK));
    expect(requests.map((request) => request.split(" ", 2).join(" "))).toEqual([
      ...["check a.csv", "check b.csv", "wait 60", "store s1"],
    ]);
    expect(phases()).toEqual(["cancelled", "done"]);
  });
});

describe("failures", () => {
  it("stores the same preview again after a lost response", async () => {
    const { queue, requests, events, settle } = createQueue(
      [preview()],
      [{ kind: "failed", failure: lost }, done],
    );
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(events).toEqual(["start", "maybe stored"]);
    await settle(() => queue.retry(queue.items()[0]?.id ?? 0));
    expect(requests.slice(1)).toEqual(['store s1 {"byId":{}}', 'store s1 {"byId":{}}']);
  });

  it("checks a file again if its preview has expired", async () => {
    const expired: StoreResult = {
      kind: "failed",
      failure: { ...lost, retry: false },
      previewExpired: true,
    };
    const { queue, requests, settle } = createQueue([preview(WITH_ISSUES), preview()], [expired, done]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    await settle(() => queue.store());
    await settle(() => queue.submit(BOOK));
    expect(requests.map((request) => request.split(" ")[0])).toEqual(["check", "store", "check", "store"]);
  });

  it("removes rejected files with the next choice, and adds the same file only once", async () => {
    const rejectedFailure = {
      kind: "failed",
      failure: { ...lost, retry: false, maybeStored: false },
    } as const;
    const { queue, settle } = createQueue([rejectedFailure]);
    queue.choose([file("a.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    queue.choose([file("b.csv"), file("c.csv")], BOOK);
    const second = file("b.csv");
    queue.choose([second], BOOK);
    expect(queue.items().map(({ name }) => name)).toEqual(["c.csv", "b.csv"]);
    expect(queue.items()[1]?.file).toBe(second);
  });

  it.each([
    ["size", file("tradebook.csv", "xy")],
    ["date", file("tradebook.csv", "x", 2)],
  ])("keeps two files with the same name that differ in their %s", (_, other) => {
    const { queue } = createQueue([]);
    queue.choose([file("tradebook.csv")], BOOK);
    queue.choose([other], BOOK);
    expect(queue.items().map(({ name }) => name)).toEqual(["tradebook.csv", "tradebook.csv"]);
  });

  it("aborts everything when it is stopped, without a settled event", async () => {
    const { queue, requests, phases, settle, duringWaits } = createQueue([
      { kind: "retryLater", seconds: 60 },
      { kind: "cancelled", maybeStored: false },
    ]);
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    duringWaits(queue.stop);
    const onSettled = vi.fn();
    void settle(() => queue.submit(BOOK)).then(onSettled);
    await new Promise((resolve) => setTimeout(resolve));
    expect(requests).toEqual(["check a.csv zerodha", "check b.csv zerodha", "wait 60"]);
    expect(phases()).toEqual(["cancelled"]);
    expect(onSettled).not.toHaveBeenCalled();
  });

  it("continues with the next file after a cancelled upload", async () => {
    const { queue, phases, settle } = createQueue(
      [{ kind: "cancelled", maybeStored: false }, preview()],
      [done],
    );
    queue.choose([file("a.csv"), file("b.csv")], BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases()).toEqual(["cancelled", "done"]);
  });
});

describe("many files", () => {
  const files = Array.from({ length: 30 }, (_, index) => file(`${index}.pdf`));
  const unverified: Preview["warnings"][number] = {
    row: 1,
    column: "",
    value: "",
    code: "format_unverified",
    message: "",
    sheet: "",
  };
  const newLayout: Partial<Preview> = { oddTotal: 1, warnings: [unverified] };
  const previews = (count: number, change: Partial<Preview> = {}) =>
    Array.from({ length: count }, (_, index) => preview({ ...change, id: `p${index % 12}` }));

  it("are checked and stored in batches, so that the server keeps their previews", async () => {
    const { queue, requests, phases, settle } = createQueue(previews(30), Array(30).fill(done));
    queue.choose(files, {});
    await settle(() => queue.submit({}));
    expect(new Set(phases())).toEqual(new Set(["done"]));
    const kinds = requests.map((request) => request.split(" ")[0]);
    const batches = [12, 12, 6].flatMap((size) => [
      ...Array(size).fill("check"),
      ...Array(size).fill("store"),
    ]);
    expect(kinds).toEqual(batches);
  });

  it("are checked three at once, and stored one after the other", async () => {
    let checking = 0;
    let storing = 0;
    const most = { checking: 0, storing: 0 };
    const pause = () => new Promise((resolve) => setTimeout(resolve));
    const queue = new ImportQueue(
      async () => ({
        async check() {
          checking += 1;
          most.checking = Math.max(most.checking, checking);
          expect(storing).toBe(0);
          await pause();
          checking -= 1;
          return preview();
        },
        async loadPreview() {
          return preview();
        },
        async store() {
          storing += 1;
          most.storing = Math.max(most.storing, storing);
          expect(checking).toBe(0);
          await pause();
          storing -= 1;
          return done;
        },
        async wait() {},
      }),
      {
        onStart() {},
        onStored() {},
        onMaybeStored() {},
        onSettled: () => onSettled(),
      },
    );
    const onSettled = vi.fn();
    queue.choose(files, {});
    queue.submit({});
    await vi.waitFor(() => expect(onSettled).toHaveBeenCalled());
    expect(new Set(queue.items().map(({ state }) => state.phase))).toEqual(new Set(["done"]));
    expect(most).toEqual({ checking: 3, storing: 1 });
    expect(onSettled).toHaveBeenCalledTimes(1);
  });

  it("need one review for a new layout", async () => {
    const { queue, phases, settle } = createQueue(previews(60, newLayout), Array(30).fill(done));
    queue.choose(files, {});
    await settle(() => queue.submit({}));
    expect(phases().filter((phase) => phase === "review")).toHaveLength(12);
    expect(phases().filter((phase) => phase === "queued")).toHaveLength(18);
    expect(needsAnswer(queue.items())).toBe(true);
    await settle(() => queue.store());
    expect(new Set(phases())).toEqual(new Set(["done"]));
  });

  it("are reviewed for other reasons even if the layout was accepted", async () => {
    const checks = [...previews(24, newLayout), ...previews(30, { ...newLayout, oddTotal: 2 })];
    const { queue, phases, settle } = createQueue(checks, Array(30).fill(done));
    queue.choose(files, {});
    await settle(() => queue.submit({}));
    await settle(() => queue.store());
    expect(phases().filter((phase) => phase === "review")).toHaveLength(12);
  });

  it("wait for the password, which is asked once", async () => {
    const locked: CheckResult = {
      kind: "failed",
      failure: { ...lost, retry: false, maybeStored: false, needsPassword: true },
    };
    const { queue, requests, phases, settle } = createQueue(
      [...Array(12).fill(locked), ...previews(30)],
      Array(30).fill(done),
    );
    queue.choose(files, {});
    await settle(() => queue.submit({}));
    expect(phases()).toEqual([...Array(12).fill("failed"), ...Array(18).fill("queued")]);
    await settle(() => queue.unlock("ABCDE1234F"));
    expect(new Set(phases())).toEqual(new Set(["done"]));
    const checked = requests.slice(12).filter((request) => request.startsWith("check"));
    expect(checked).toHaveLength(30);
    expect(checked.every((request) => request.endsWith("with ABCDE1234F"))).toBe(true);
  });

  it("become chosen files again when the import or its review is stopped", async () => {
    const first = createQueue(previews(24, newLayout));
    first.queue.choose(files, {});
    await first.settle(() => first.queue.submit({}));
    first.queue.discard();
    expect(new Set(first.phases())).toEqual(new Set(["chosen"]));

    const second = createQueue(previews(24), Array(3).fill(done));
    second.queue.choose(files, {});
    await second.settle(() => {
      second.queue.submit({});
      second.queue.cancelAll();
    });
    // Three were being checked.
    expect(second.phases().filter((phase) => phase === "chosen")).toHaveLength(27);
  });

  it("continue when the file with a question is removed", async () => {
    const mismatch: CheckResult = { kind: "mismatch", detected: OTHER };
    const { queue, phases, settle } = createQueue([mismatch, ...previews(30)], Array(30).fill(done));
    queue.choose(files, BOOK);
    await settle(() => queue.submit(BOOK));
    expect(phases().filter((phase) => phase === "mismatch")).toHaveLength(1);
    expect(phases().filter((phase) => phase === "queued")).toHaveLength(18);
    const [item] = queue.items();
    await settle(() => queue.remove(item?.id ?? 0));
    expect(phases()).toEqual(Array(29).fill("done"));
  });
});
