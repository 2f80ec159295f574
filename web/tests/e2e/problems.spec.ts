import { bearer } from "./accounts.ts";
import { expect, test } from "./test-fixtures.ts";

const CASES = [
  { name: "no JSON", path: "/auth/login", body: "{", status: 400, code: "malformed" },
  {
    name: "a field of another kind",
    path: "/trades/add",
    body: '{"email": 7}',
    status: 422,
    code: "invalid",
  },
  { name: "fields that are missing", path: "/trades/replace", body: "{}", status: 422, code: "invalid" },
  {
    name: "a field that nobody knows",
    path: "/auth/register",
    body: '{"x": 1}',
    status: 422,
    code: "invalid",
  },
  {
    name: "a method that the address lacks",
    path: "/trades/books",
    body: "{}",
    status: 405,
    code: "method_not_allowed",
  },
] as const;

for (const { name, path, body, status, code } of CASES) {
  test(`[7X-02] ${name} is rejected with a problem, the same under both base paths`, async ({ account }) => {
    for (const base of ["", "/api/v1"]) {
      const answer = await account.request.post(`${base}${path}`, {
        headers: { ...bearer(account.token), "Content-Type": "application/json" },
        data: Buffer.from(body),
      });
      expect(answer.status()).toBe(status);
      expect(answer.headers()["content-type"]).toBe("application/problem+json");
      const problem = await answer.json();
      expect(problem).toMatchObject({ type: expect.any(String), title: expect.any(String), status, code });
      expect(problem.detail).toMatch(/\S/);
      expect(problem.instance).toMatch(/\S/);
      if (status === 422) {
        expect(problem.errors.length).toBeGreaterThan(0);
        for (const error of problem.errors) {
          expect(error).toEqual({
            field: expect.stringMatching(/\S/),
            code: expect.stringMatching(/^[a-z_]+$/),
            message: expect.stringMatching(/\S/),
          });
        }
      }
    }
  });
}
