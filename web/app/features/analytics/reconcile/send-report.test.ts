import { expect, test } from "vitest";
import { reportFailure } from "#features/analytics/reconcile/send-report.ts";

const problem = (code: string, detail: string) => ({ code, detail, status: 422, title: "", type: "" });

test("shows the server's message about the file, without a retry", () => {
  const body = problem("trades_file", "This is Zerodha's tradebook.");
  expect(reportFailure(new Response(null, { status: 422 }), body)).toEqual({
    title: "This is Zerodha's tradebook.",
    text: "The file was not stored.",
    retry: false,
    code: "trades_file",
  });
});

test.each([
  [429, "30", "Try again in 30 seconds."],
  [503, null, "Try again in a moment."],
  [500, null, "Try again in a moment."],
  // Success with an invalid body.
  [200, null, "Try again in a moment."],
])("offers a retry after %d", (status, after, text) => {
  const response = new Response(null, { status, headers: after ? { "Retry-After": after } : {} });
  expect(reportFailure(response, undefined)).toMatchObject({
    title: "The report could not be compared.",
    text,
    retry: true,
  });
});
