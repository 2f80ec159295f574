import { expect, test } from "vitest";
import { toFailure } from "./send-application.ts";

function failureFor(status: number, code: string, more: object = {}, headers: HeadersInit = {}) {
  const body = {
    type: "about:blank",
    title: "",
    status,
    detail: "The server's message.",
    instance: "/",
    code,
    ...more,
  };
  return toFailure(new Response(null, { status, headers }), body);
}

test("shows a too large resume at its field", () => {
  expect(failureFor(413, "resume_too_large").fields).toEqual([
    { field: "resume", message: "File size must be less than 5MB." },
  ]);
});

test("shows field errors of the server at the fields of the form", () => {
  const errors = [
    { field: "mobile", code: "MALFORMED", message: "Enter a mobile number of ten digits." },
    { field: "noticeVersion", code: "MALFORMED", message: "Not ours to show." },
  ];
  expect(failureFor(422, "invalid", { errors }).fields).toEqual([
    { field: "mobile", message: "Enter a mobile number of ten digits." },
  ]);
});

test.each([
  [507, "storage_full", {}, /cannot store another resume/],
  [503, "busy", { "Retry-After": "30" }, /30 seconds/],
  [429, "rate_limited", { "Retry-After": "120" }, /2 minutes/],
  [404, "opening_closed", {}, /closed/],
  [409, "in_progress", {}, /still being processed/],
  [500, "internal", {}, /does not create a second one/],
  [400, "malformed", {}, /The server's message/],
])("%i %s says what to do", (status, code, headers, message) => {
  const failure = failureFor(status, code, {}, headers);
  expect(failure.text).toMatch(message);
  expect(failure.fields).toEqual([]);
  expect(failure.newKey).toBeUndefined();
});

test("uses a new key after an attempt with other answers was stored", () => {
  expect(failureFor(409, "idempotency_key_reused")).toMatchObject({
    newKey: true,
    text: expect.stringMatching(/in your email/),
  });
});

test("does not say that nothing was stored if the response is not from the API", () => {
  expect(toFailure(new Response(null, { status: 502 }), "<html>").text).toMatch(
    /does not create a second one/,
  );
});
