import { expect, test } from "vitest";
import { refused } from "#features/analytics/reconcile/send-report.ts";

const problem = (code: string, detail: string) => ({ code, detail, status: 422, title: "", type: "" });

test("what the server says of a file is said, and the same is not sent again", () => {
  const body = problem("file_of_trades", "This is Zerodha's tradebook.");
  expect(refused(new Response(null, { status: 422 }), body)).toEqual({
    title: "This is Zerodha's tradebook.",
    text: "Nothing of the file is kept.",
    retry: false,
    code: "file_of_trades",
  });
});

test.each([
  [429, "30", "Try again in 30 seconds."],
  [503, null, "Try again in a moment."],
  [500, null, "Try again in a moment."],
  // A success that cannot be read.
  [200, null, "Try again in a moment."],
])("%d may pass by itself", (status, after, text) => {
  const response = new Response(null, { status, headers: after ? { "Retry-After": after } : {} });
  expect(refused(response, undefined)).toMatchObject({
    title: "The report could not be compared.",
    text,
    retry: true,
  });
});
