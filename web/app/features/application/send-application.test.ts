import { expect, test } from "vitest";
import { refused } from "./send-application.ts";

function answer(status: number, code: string, more: object = {}, headers: HeadersInit = {}) {
  const body = {
    type: "about:blank",
    title: "",
    status,
    detail: "In the server's words.",
    instance: "/",
    code,
    ...more,
  };
  return refused(new Response(null, { status, headers }), body);
}

test("a resume that is too large is the field's fault", () => {
  expect(answer(413, "resume_too_large").fields).toEqual([
    { field: "resume", message: "File size must be less than 5MB." },
  ]);
});

test("what the server finds fault with stands beside its field", () => {
  const errors = [
    { field: "mobile", code: "MALFORMED", message: "Enter a mobile number of ten digits." },
    { field: "noticeVersion", code: "MALFORMED", message: "Not ours to show." },
  ];
  expect(answer(422, "invalid", { errors }).fields).toEqual([
    { field: "mobile", message: "Enter a mobile number of ten digits." },
  ]);
});

test.each([
  [507, "store_full", {}, /no room/],
  [503, "busy", { "Retry-After": "30" }, /30 seconds/],
  [429, "rate_limited", { "Retry-After": "120" }, /2 minutes/],
  [404, "opening_closed", {}, /closed/],
  [409, "in_progress", {}, /on its way/],
  [500, "internal", {}, /no second application/],
  [400, "malformed", {}, /In the server's words/],
])("%i %s says what to do", (status, code, headers, words) => {
  const failure = answer(status, code, {}, headers);
  expect(failure.text).toMatch(words);
  expect(failure.fields).toEqual([]);
  expect(failure.newKey).toBeUndefined();
});

test("after a try that arrived with other answers the next one is another application", () => {
  expect(answer(409, "key_reused")).toMatchObject({
    newKey: true,
    text: expect.stringMatching(/in your mail/),
  });
});

test("an answer that is none of ours leaves it open", () => {
  expect(refused(new Response(null, { status: 502 }), "<html>").text).toMatch(/no second application/);
});
