import { expect, test } from "vitest";
import { HTML_POLICY_SCRIPT } from "./trusted-types.ts";

/** Runs the script in a browser that has Trusted Types, and returns its rule for HTML. */
function runScript(): (text: string) => string | null {
  let rule: ((text: string) => string | null) | undefined;
  const createPolicy = (_: string, rules: { createHTML: typeof rule }) => {
    rule = rules.createHTML;
  };
  new Function("window", HTML_POLICY_SCRIPT)({ trustedTypes: { createPolicy } });
  return rule as (text: string) => string | null;
}

test("accepts only an empty script and text without markup", () => {
  const accept = runScript();
  for (const text of ["<script></script>", '{"@type":"JobPosting","title":"R\\u003cD"}', "", "two\nlines"])
    expect(accept(text)).toBe(text);
  for (const text of [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<script></script><img>",
    "a\n<img>",
  ])
    expect(accept(text)).toBeNull();
});

test("runs in a browser without Trusted Types, and needs no escaping", () => {
  new Function("window", HTML_POLICY_SCRIPT)({});
  expect(HTML_POLICY_SCRIPT).not.toMatch(/[&<>"']/);
});
