import { expect, it } from "vitest";
import { cancelled, refused, unanswered } from "#features/import/import-failure.ts";

const problem = {
  type: "about:blank",
  title: "Unprocessable Content",
  status: 422,
  detail: "This is a P&L statement. It holds no trades: download the tradebook instead.",
  instance: "r1",
  code: "report_unsupported",
};
const checking = { seconds: undefined, storing: false };
const storing = { seconds: undefined, storing: true };

it("[8E-11] shows the server's message, and that nothing was stored", () => {
  expect(refused(422, problem, checking)).toMatchObject({
    title: problem.detail,
    text: "Nothing was stored. The file stays chosen.",
    retry: false,
    open: false,
  });
});

it.each([
  [413, "<html>"],
  [502, undefined],
  [500, { detail: "" }],
])("[8E-12] has its own words for a %i without a message", (status, body) => {
  expect(refused(status, body, checking).title).toBe("Error uploading file.");
});

it("says how long to wait", () => {
  expect(refused(503, undefined, { ...checking, seconds: 30 }).text).toBe(
    "Nothing was stored. Try again in 30 seconds.",
  );
});

it.each([429, 503])("knows that a server that takes no more has stored nothing (%i)", (status) => {
  expect(refused(status, { ...problem, code: "busy" }, { ...storing, seconds: 300 })).toMatchObject({
    text: "Nothing was stored. Try again in 5 minutes.",
    open: false,
  });
});

it("knows that a server without room has stored nothing, and that the same may be sent again", () => {
  expect(refused(507, { ...problem, code: "store_full" }, storing)).toEqual({
    title: problem.detail,
    text: "The file stays chosen.",
    retry: true,
    open: false,
  });
});

it("does not claim to know what it cannot know", () => {
  expect(refused(504, undefined, storing)).toMatchObject({ retry: true, open: true });
  expect(refused(503, { ...problem, code: "unavailable" }, storing)).toMatchObject({
    retry: true,
    open: true,
  });
  expect(unanswered(true)).toMatchObject({ retry: true, open: true });
  expect(unanswered(true).text).toContain("we do not know whether it was stored");
  expect(unanswered(true).text).toContain("the same file twice adds nothing");
  expect(cancelled(true)).toContain("may still be completed");
});

it("knows that a check stores nothing, however it ends", () => {
  expect(refused(504, undefined, checking)).toMatchObject({ text: "Nothing was stored.", open: false });
  expect(unanswered(false)).toMatchObject({ retry: true, open: false });
  expect(cancelled(false)).toBe("Nothing was stored.");
});
