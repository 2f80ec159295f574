import { expect, it } from "vitest";
import { cancelledText, noResponseFailure, rejectedFailure } from "#features/import/import-failure.ts";

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

it("[8E-11] shows the server's message, and that nothing was imported", () => {
  expect(rejectedFailure(422, problem, checking)).toMatchObject({
    title: problem.detail,
    text: "Nothing was imported. Your file is still selected.",
    retry: false,
    maybeStored: false,
  });
});

it.each([
  ["file_unreadable", "note_check_failed", true],
  ["file_unreadable", "note_part_missing", true],
  ["file_unreadable", "pdf", true],
  ["file_unreadable", "pdf_damaged", undefined],
  ["file_unreadable", undefined, undefined],
])("offers the layout of a note whose text was read (%s, %s)", (code, cause, hasLayout) => {
  const body = cause ? { ...problem, code, cause } : { ...problem, code };
  expect(rejectedFailure(422, body, checking).hasLayout).toBe(hasLayout);
});

it.each([
  [413, "<html>"],
  [502, undefined],
  [500, { detail: "" }],
])("[8E-12] shows a general message for a %i without one", (status, body) => {
  expect(rejectedFailure(status, body, checking).title).toBe("Error uploading file.");
});

it("[S2] offers a retry if the trader has to confirm the email address first", () => {
  const limited = { ...problem, status: 409, code: "too_many_unconfirmed_trades" };
  expect(rejectedFailure(409, limited, storing)).toMatchObject({ retry: true, maybeStored: false });
});

it("states how long to wait", () => {
  expect(rejectedFailure(503, undefined, { ...checking, seconds: 30 }).text).toBe(
    "Nothing was imported. Try again in 30 seconds.",
  );
});

it.each([429, 503])("states that an overloaded server has imported nothing (%i)", (status) => {
  expect(rejectedFailure(status, { ...problem, code: "busy" }, { ...storing, seconds: 300 })).toMatchObject({
    text: "Nothing was imported. Try again in 5 minutes.",
    maybeStored: false,
  });
});

it("offers a retry if the server's storage is full", () => {
  expect(rejectedFailure(507, { ...problem, code: "storage_full" }, storing)).toEqual({
    title: problem.detail,
    text: "Your file is still selected.",
    retry: true,
    maybeStored: false,
  });
});

it("does not state that nothing was imported if the outcome is unknown", () => {
  expect(rejectedFailure(504, undefined, storing)).toMatchObject({ retry: true, maybeStored: true });
  expect(rejectedFailure(503, { ...problem, code: "unavailable" }, storing)).toMatchObject({
    retry: true,
    maybeStored: true,
  });
  expect(noResponseFailure(true)).toMatchObject({ retry: true, maybeStored: true });
  expect(noResponseFailure(true).text).toContain("we do not know whether it was imported");
  expect(noResponseFailure(true).text).toContain("no trade is added twice");
  expect(cancelledText(true)).toContain("may still complete");
});

it("states that a check imports nothing, whatever its outcome", () => {
  expect(rejectedFailure(504, undefined, checking)).toMatchObject({
    text: "Nothing was imported.",
    maybeStored: false,
  });
  expect(noResponseFailure(false)).toMatchObject({ retry: true, maybeStored: false });
  expect(cancelledText(false)).toBe("Nothing was imported.");
});
