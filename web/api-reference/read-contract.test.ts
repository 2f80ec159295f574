import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { curlOf } from "./curl.ts";
import { type Operation, readContract } from "./read-contract.ts";

const reference = readContract(parse(readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8")));
const operations = reference.groups.flatMap((group) => group.operations);

function operation(id: string): Operation {
  const found = operations.find((one) => one.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

test("every operation is in a group, under the base where it stands", () => {
  const ids = operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(operation("getTrade")).toMatchObject({ method: "GET", path: "/api/v1/trades/{id}" });
  expect(operation("apply")).toMatchObject({ path: "/api/apply/{jobid}", needs: "" });
  expect(operation("addEntry").needs).toBe("the cookie of a journal or an access token or nothing");
});

test("fields keep their limits, their schema and their place", () => {
  const add = operation("addTrade").request[0]?.fields;
  expect(add?.find(({ name }) => name === "trade")).toMatchObject({
    required: true,
    type: [{ text: "NewTrade", schema: "NewTrade" }],
  });
  const trade = reference.schemas.find(({ name }) => name === "NewTrade");
  const typeOf = (name: string) => trade?.fields.find((field) => field.name === name)?.type[0];
  expect(typeOf("symbol")).toEqual({ text: "string" });
  expect(trade?.fields.find(({ name }) => name === "symbol")?.type[1]).toEqual({
    text: ", 1 to 64 characters",
  });
  const inner = operation("listBooks").replies[0]?.shown[0]?.fields.map(({ name }) => name);
  expect(inner).toEqual(["books"]);
  const overview = reference.schemas.find(({ name }) => name === "AnalyticsOverview");
  expect(overview?.fields.map(({ name }) => name)).toContain("symbols[].days[].date");
});

test("no field is without words, and every reply of JSON that is no refusal has an example", () => {
  for (const { id, parameters, request, replies } of operations) {
    const fields = [...parameters, ...request.flatMap((one) => one.fields)];
    for (const { name, text } of fields) expect(text, `${id}: ${name}`).not.toBe("");
    for (const { status, shown } of replies.filter((one) => one.status.startsWith("2"))) {
      for (const { media, example } of shown)
        if (media === "application/json") expect(example, id + status).toBeTruthy();
    }
  }
});

test("a refusal is shown with the status that it stands under", () => {
  for (const { id, replies } of operations) {
    for (const { status, shown } of replies.filter((one) => one.status !== "default")) {
      for (const { media, example } of shown)
        if (media === "application/problem+json")
          expect(JSON.parse(example ?? "{}").status, `${id} ${status}`).toBe(Number(status));
    }
  }
});

test("an example that is no JSON is shown as it is sent", () => {
  const csv = operation("exportTrades").replies[0]?.shown.find(({ media }) => media === "text/csv");
  expect(csv?.example?.split("\n")[0]).toMatch(/^Type,/);
});

test("a command is one that a shell takes, whatever an example holds", () => {
  const body = { media: "application/json", value: { name: "O'Brien $HOME" } };
  expect(curlOf("patch", "/account", [], [{ session: [] }], body)).toBe(
    [
      'curl "$ORIGIN/account"',
      "-X PATCH",
      '-H "Authorization: Bearer $TOKEN"',
      '-H "Content-Type: application/json"',
      `-d '{"name":"O'\\''Brien $HOME"}'`,
    ].join(" \\\n  "),
  );
  expect(operation("getTaxPack").curl).toContain("/api/v1/analytics/tax?year=YEAR");
  expect(operation("uploadExcel").curl).toContain("-F file=@tradebook.csv");
});
