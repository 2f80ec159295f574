import { expect, it } from "vitest";
import { parseTaxLinkToken } from "#features/analytics/tax/tax-link-token.ts";

const TOKEN = "AZOdq3Yhc2SPpLk1u0ZQ9wQ7hN4cLpWf9oM2sJv6yBt8xEa1gRk3dZi5uTn0qYwSc";

it("reads the token of a link from its fragment", () => {
  expect(parseTaxLinkToken(`#${TOKEN}`)).toBe(TOKEN);
  // A message may end with a full stop after the link.
  expect(parseTaxLinkToken(`#${TOKEN}.`)).toBe(TOKEN);
  for (const hash of ["", "#", "#content", `#${TOKEN.slice(0, 33)}`, `#${TOKEN}A`, `#?${TOKEN}`]) {
    expect(parseTaxLinkToken(hash), hash).toBe("");
  }
});
