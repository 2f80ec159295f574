import { describe, expect, test } from "vitest";
import { fieldErrors } from "#lib/problem.ts";
import { loginError, serverError, signupError } from "./auth-error.ts";

function response(status: number, headers: Record<string, string> = {}): Response {
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
  test.each([400, 401, 403, 422])("%d reports invalid credentials", (status) => {
    expect(loginError(response(status))).toEqual({
      title: "Invalid Credentials",
      text: "Please Check the credentials again!!!",
    });
  });

  test.each([429, 500, 502, 503])("%d reports a server error", (status) => {
    expect(loginError(response(status))).toEqual({
      title: "Server Error",
      text: "Please try after some time!!!",
    });
  });

  test("states the waiting time if the server sends it", () => {
    expect(loginError(response(429, { "Retry-After": "900" })).detail).toBe(
      "You can try again in 15 minutes.",
    );
  });

  test("without a response it reports a server error", () => {
    expect(serverError().title).toBe("Server Error");
  });
});

describe("registration", () => {
  test("shows the message of the server", () => {
    expect(signupError(response(409), problem())).toEqual({
      title: "This e-mail has an account already.",
      text: "Please add valid credentials!!!",
    });
  });

  test.each([429, 503])("%d reports a server error", (status) => {
    expect(signupError(response(status), problem()).title).toBe("Server Error");
  });

  test("finds the invalid fields", () => {
    const errors = [{ field: "name", code: "too_long", message: "Too long." }];
    expect(fieldErrors(problem({ errors }))).toEqual([{ field: "name", message: "Too long." }]);
    expect(fieldErrors(problem())).toEqual([
      { field: "email", message: "This e-mail has an account already." },
    ]);
    expect(fieldErrors(problem({ code: "phone_taken" }))).toMatchObject([{ field: "phone" }]);
    expect(fieldErrors(problem({ code: "busy" }))).toEqual([]);
  });
});
