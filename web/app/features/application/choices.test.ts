import { expect, test } from "vitest";
import { DEGREES, graduationYears, ROLES } from "#features/application/choices.ts";

test("[3A-02] [3A-03] degrees and roles are those of the server", () => {
  expect(DEGREES.map(({ value }) => value)).toEqual(["btech", "be", "bsc", "mtech", "mca", "other"]);
  expect(ROLES.map(({ value }) => value)).toEqual([
    "frontend",
    "backend",
    "graphic",
    "marketing",
    "android",
    "fullstack",
    "contentwritter",
    "AIML",
  ]);
  for (const { label } of ROLES) expect(label).toMatch(/Internship$/);
});

test("[3A-04] [9A-04] six years of graduation, from two years after this one downwards", () => {
  const years = graduationYears("2026-11-20").map(({ value }) => value);
  expect(years).toEqual(["2028", "2027", "2026", "2025", "2024", "2023"]);
});
