import { expect, test } from "vitest";
import { DEGREES, graduationYears, ROLES } from "./application.ts";
import { writtenText } from "./opening-texts.ts";
import { OPENINGS, openingOf, placeOf } from "./openings.ts";
import { RECRUITMENT } from "./recruitment.ts";

const row = ({ id, title, department, skills }: (typeof OPENINGS)[number]) =>
  `${id} ${title}, ${department}: ${skills.join(", ")}`;

test("[3J-01] [3J-02] [3J-03] [3J-04] [3J-05] [3J-06] [3J-07] [3J-08] [3J-09] [9C-01] eight openings, as the company lists them", () => {
  expect(OPENINGS.map(row)).toEqual([
    "FE101 Frontend Intern, Engineering: React, JavaScript, TailwindCSS",
    "BE101 Backend Intern, Engineering: Node.js, Express, MongoDB",
    "AD101 Android Development Intern, Engineering: Flutter, React-Native, Android Studio",
    "FS101 Full-Stack Intern, Engineering: React, Nodejs, Devops",
    "CW101 Content Writer Intern, Marketing: Blogging, Copy Writing, SEO",
    "MK101 Marketing Intern, Marketing: Analytics, Social Media, SEO",
    "AI101 Artificial Intelligence Intern, Research and Development: Python, Machine Learning, Data Science",
    "GD101 Graphic Designer Intern, Designing: Photoshop, Figma/Canva, Creativity",
  ]);
});

test("an opening is found by its code to the letter", () => {
  expect(openingOf("FE101")?.title).toBe("Frontend Intern");
  for (const id of ["fe101", "FE102", "", undefined]) expect(openingOf(id)).toBeUndefined();
});

test("a place is a city and how one works there", () => {
  expect(placeOf({ location: "Pune, Maharashtra", work_mode: "hybrid" })).toBe("Pune, hybrid");
  expect(placeOf({ location: "Pune, Maharashtra", work_mode: "onsite" })).toBe("Pune, on site");
  expect(placeOf({ location: "Anywhere in India", work_mode: "remote" })).toBe("Anywhere in India, remote");
});

test("[3D-01] [3D-02] [3D-03] every opening has a whole text", () => {
  for (const { id, title } of OPENINGS) {
    const text = writtenText(id);
    expect(text).toMatchObject({ Title: title, JobID: id });
    expect(text?.Aboutus.length).toBeGreaterThan(200);
    expect(text?.KeySkillsandRequirements.Technical.length).toBeGreaterThan(4);
    expect(Object.values(text?.KeyResponsibilities ?? {}).flat().length).toBeGreaterThan(4);
    expect(text?.PerksandBenefits.length).toBeGreaterThan(3);
  }
  expect(writtenText("FE102")).toBeUndefined();
});

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

test("[3R-01] [9R-01] four steps of half an hour come to the total", () => {
  expect(RECRUITMENT.steps.map(({ id, duration }) => `${id} ${duration}`)).toEqual([
    "1 30 mins",
    "2 30 mins",
    "3 30 mins",
    "4 30 mins",
  ]);
  expect(RECRUITMENT.total).toBe(`${(RECRUITMENT.steps.length * 30) / 60} hours`);
});
