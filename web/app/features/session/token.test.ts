import { describe, expect, test } from "vitest";
import { decodeToken } from "./token.ts";

function jwt(claims: unknown): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

describe("decodeToken", () => {
  test("returns name, email, audience and times", () => {
    expect(
      decodeToken(jwt({ name: "Asha Rao", email: "asha@example.in", aud: "api", iat: 100, exp: 700 })),
    ).toEqual({
      user: { name: "Asha Rao", email: "asha@example.in" },
      audience: "api",
      issuedAt: 100,
      expiresAt: 700,
    });
  });

  test("reads a name in any script", () => {
    expect(decodeToken(jwt({ name: "आशा राव ✍️", email: "asha@example.in" }))?.user.name).toBe("आशा राव ✍️");
  });

  test("accepts a token without times", () => {
    const claims = decodeToken(jwt({ name: "Asha", email: "a@b.in", exp: "soon" }));
    expect(claims?.issuedAt).toBeUndefined();
    expect(claims?.expiresAt).toBeUndefined();
  });
});

describe("decodeToken rejects a token that is", () => {
  test.each([
    ["empty", ""],
    ["one part", "abc"],
    ["not base64", "e30.%%%.x"],
    ["not JSON", `e30.${Buffer.from("hello").toString("base64url")}.x`],
    ["not UTF-8", `e30.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}.x`],
    ["null", jwt(null)],
    ["a list", jwt(["Asha", "a@b.in"])],
    ["no name", jwt({ email: "a@b.in" })],
    ["no email", jwt({ name: "Asha" })],
    ["an empty name", jwt({ name: "  ", email: "a@b.in" })],
    ["a name that is a number", jwt({ name: 7, email: "a@b.in" })],
  ])("%s", (_, token) => expect(decodeToken(token)).toBeUndefined());
});
