import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { buildReference, type Operation } from "./build-reference.ts";
import { curlCommand } from "./curl.ts";

const reference = buildReference(parse(readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8")));
const operations = reference.groups.flatMap((group) => group.operations);

function operation(id: string): Operation {
  const operation = operations.find((one) => one.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  return operation;
}

test("puts every operation in a group, with the base path of its server", () => {
  const ids = operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(operation("getTrade")).toMatchObject({ method: "GET", path: "/api/v1/trades/{id}" });
  expect(operation("apply")).toMatchObject({ path: "/api/apply/{jobid}", needs: "" });
  expect(operation("addEntry").needs).toBe("the journal cookie or an access token or nothing");
});

test("keeps limits, schema and path of each field", () => {
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
  const inner = operation("listBooks").replies[0]?.content[0]?.fields.map(({ name }) => name);
  expect(inner).toEqual(["books"]);
  const overview = reference.schemas.find(({ name }) => name === "AnalyticsOverview");
  expect(overview?.fields.map(({ name }) => name)).toContain("symbols[].days[].date");
});

test("describes every field and has an example for every successful JSON response", () => {
  for (const { id, parameters, request, replies } of operations) {
    const fields = [...parameters, ...request.flatMap((one) => one.fields)];
    for (const { name, text } of fields) expect(text, `${id}: ${name}`).not.toBe("");
    for (const { status, content } of replies.filter((one) => one.status.startsWith("2"))) {
      for (const { media, example } of content)
        if (media === "application/json") expect(example, id + status).toBeTruthy();
    }
  }
});

test("shows each problem example under its own status", () => {
  for (const { id, replies } of operations) {
    for (const { status, content } of replies.filter((one) => one.status !== "default")) {
      for (const { media, example } of content)
        if (media === "application/problem+json")
          expect(JSON.parse(example ?? "{}").status, `${id} ${status}`).toBe(Number(status));
    }
  }
});

test("shows an example that is not JSON unchanged", () => {
  const csv = operation("exportTrades").replies[0]?.content.find(({ media }) => media === "text/csv");
  expect(csv?.example?.split("\n")[0]).toMatch(/^Type,/);
});

test("quotes the curl command for the shell", () => {
  const body = { media: "application/json", value: { name: "O'Brien $HOME" } };
  expect(curlCommand("patch", "/account", [], [{ session: [] }], body)).toBe(
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
