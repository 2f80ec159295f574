import { expect, test } from "vitest";
import { findOpening, OPENINGS, openingLocation } from "./openings.ts";
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

test("an opening is found by its exact code only", () => {
  expect(findOpening("FE101")?.title).toBe("Frontend Intern");
  for (const id of ["fe101", "FE102", "", undefined]) expect(findOpening(id)).toBeUndefined();
});

test("a location is the city and the work mode", () => {
  expect(openingLocation({ location: "Pune, Maharashtra", work_mode: "hybrid" })).toBe("Pune, hybrid");
  expect(openingLocation({ location: "Pune, Maharashtra", work_mode: "onsite" })).toBe("Pune, on site");
  expect(openingLocation({ location: "Anywhere in India", work_mode: "remote" })).toBe(
    "Anywhere in India, remote",
  );
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
