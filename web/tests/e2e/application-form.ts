import type { Page } from "@playwright/test";
import { newPerson } from "./accounts.ts";

type Upload = { name: string; mimeType: string; buffer: Buffer };

const HEAD = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n";
const END = "\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n";

/** Creates a valid PDF of the given size. */
export function pdf(name = "asha-rao.pdf", bytes = 2_000): Upload {
  const padding = " ".repeat(bytes - HEAD.length - END.length);
  return { name, mimeType: "application/pdf", buffer: Buffer.from(HEAD + padding + END) };
}

export type Candidate = { name: string; email: string; phone: string; motivation: string };

/** Creates a candidate who is unique in this run. */
export function newCandidate(workerIndex: number): Candidate {
  const { name, email, phone } = newPerson(workerIndex);
  return { name, email, phone, motivation: "I have kept books since school, and I like it when they tally." };
}

export const form = (page: Page) => page.getByRole("form", { name: "Application" });

/** Opens the application form and waits until it is hydrated. */
export async function openForm(page: Page, jobid = "FE101"): Promise<void> {
  await page.goto(`/apply/${jobid}`);
  await waitForForm(page);
}

/** Waits until the form is hydrated, which adds the graduation years. */
export async function waitForForm(page: Page): Promise<void> {
  await page.getByLabel("Graduation year").locator("option").nth(6).waitFor({ state: "attached" });
}

/** Fills in every required field except the resume and the consent. */
export async function fillAnswers(page: Page, { name, email, phone, motivation }: Candidate): Promise<void> {
  await page.getByLabel("Full name").fill(name);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Phone").fill(phone);
  await page.getByLabel("College").fill("NIT Surathkal");
  await page.getByLabel("Degree").selectOption("btech");
  await page.getByLabel("Graduation year").selectOption({ index: 2 });
  await page.getByLabel("Years of experience").fill("0.5");
  await page.getByLabel("Why do you want this internship?").fill(motivation);
}

/** Fills in every required field. */
export async function fillForm(page: Page, candidate: Candidate, resume = pdf()): Promise<void> {
  await fillAnswers(page, candidate);
  await page.getByLabel("Resume").setInputFiles(resume);
  await page.getByLabel("may use these details for this application").check();
}

export const submit = (page: Page) => page.getByRole("button", { name: "Submit Application", exact: true });

export const submitted = (page: Page) =>
  page.getByRole("heading", { level: 1, name: "Application Submitted!", exact: true });

export const FAILED = "There was an issue submitting your application. Please try again.";
export const alert = (page: Page) => page.getByRole("alert").filter({ hasText: FAILED });
export const summary = (page: Page) => page.getByRole("alert").filter({ hasText: "There is a problem" });
export const receipt = (page: Page, name: string) =>
  page.getByRole("region", { name: "Receipt" }).locator("div", { hasText: name }).getByRole("definition");

/** Returns a problem response for `route.fulfill`. */
export function problem(status: number, code: string, more: object = {}) {
  return {
    status,
    contentType: "application/problem+json",
    json: { type: "about:blank", title: "Refused", status, detail: "Refused.", instance: "/", code, ...more },
  };
}
