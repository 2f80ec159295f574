import { describe, expect, test } from "vitest";
import { refusedFields } from "#lib/problem.ts";
import { loginRefusal, serverError, signupRefusal } from "./refusal.ts";

function answer(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers });
}

function problem(change: object = {}) {
  return {
    type: "about:blank",
    title: "Conflict",
    status: 409,
    detail: "This e-mail has an account already.",
    instance: "1",
    code: "email_taken",
    success: false as const,
    error: "This e-mail has an account already.",
    ...change,
  };
}

describe("login", () => {
  test.each([400, 401, 403, 422])("%d blames the credentials", (status) => {
    expect(loginRefusal(answer(status))).toEqual({
      title: "Invalid Credentials",
      text: "Please Check the credentials again!!!",
    });
  });

  test.each([429, 500, 502, 503])("%d blames the server", (status) => {
    expect(loginRefusal(answer(status))).toEqual({
      title: "Server Error",
      text: "Please try after some time!!!",
    });
  });

  test("says how long to wait when that is known", () => {
    expect(loginRefusal(answer(429, { "Retry-After": "900" })).detail).toBe(
      "You can try again in 15 minutes.",
    );
  });

  test("no answer at all is the server's error", () => {
    expect(serverError().title).toBe("Server Error");
  });
});

describe("registration", () => {
  test("shows the server's sentence", () => {
    expect(signupRefusal(answer(409), problem())).toEqual({
      title: "This e-mail has an account already.",
      text: "Please add valid credentials!!!",
    });
  });

  test.each([429, 503])("%d blames the server", (status) => {
    expect(signupRefusal(answer(status), problem()).title).toBe("Server Error");
  });

  test("finds the fields at fault", () => {
    const errors = [{ field: "name", code: "too_long", message: "Too long." }];
    expect(refusedFields(problem({ errors }))).toEqual([{ field: "name", message: "Too long." }]);
    expect(refusedFields(problem())).toEqual([
      { field: "email", message: "This e-mail has an account already." },
    ]);
    expect(refusedFields(problem({ code: "phone_taken" }))).toMatchObject([{ field: "phone" }]);
    expect(refusedFields(problem({ code: "busy" }))).toEqual([]);
  });
});
