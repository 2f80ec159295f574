import { expect, test } from "vitest";
import { mayNewTokenHelp } from "#lib/api.ts";

function problem(status: number, code: string): Response {
  return Response.json({ status, code, detail: "…" }, { status });
}

test("[S2] a token that expired, or is older than the confirmation of the email address, is renewed", async () => {
  const refused = problem(409, "too_many_unconfirmed_trades");
  expect(await mayNewTokenHelp(refused)).toBe(true);
  expect(await refused.json()).toMatchObject({ code: "too_many_unconfirmed_trades" });
  expect(await mayNewTokenHelp(problem(401, "unauthenticated"))).toBe(true);
  for (const other of [
    problem(409, "too_many_trades"),
    problem(403, "forbidden"),
    new Response("not JSON", { status: 409 }),
    new Response(null, { status: 204 }),
  ]) {
    expect(await mayNewTokenHelp(other)).toBe(false);
  }
});
