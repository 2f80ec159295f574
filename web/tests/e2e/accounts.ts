import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type APIRequestContext, expect, request as requests } from "@playwright/test";
import type { components } from "#lib/api-schema.d.ts";
import { codeSentTo, linkTo } from "./emails.ts";
import type { Broker } from "./tradebooks.ts";

export type ClientRecord = components["schemas"]["ClientRecord"];

export type Person = { name: string; email: string; phone: string; password: string };

export type Account = Person & {
  /** Has the refresh cookie of the session of `token`. */
  request: APIRequestContext;
  token: string;
};

let personCount = 0;

/** Creates a person who is unique in this run. */
export function newPerson(workerIndex: number): Person {
  personCount += 1;
  const number = `${String(workerIndex).padStart(4, "0")}${String(personCount).padStart(5, "0")}`;
  return {
    name: "Asha Rao",
    email: `asha.${number}@example.in`,
    phone: `9${number}`,
    password: "open sesame",
  };
}

/** Registers an account and logs in by the API, for tests of other features. */
export async function newAccount(request: APIRequestContext, workerIndex: number): Promise<Account> {
  const person = newPerson(workerIndex);
  const registered = await request.post("/api/v1/auth/register", {
    data: { ...person, confirmPassword: person.password },
  });
  expect(registered.status()).toBe(201);
  return { ...person, request, token: await logIn(request, person) };
}

export async function logIn(request: APIRequestContext, { email, password }: Person): Promise<string> {
  const response = await request.post("/api/v1/auth/login", { data: { email, password } });
  expect(response.status()).toBe(200);
  const { data }: { data: { token: string } } = await response.json();
  return data.token;
}

/** Logs in on another device; a second login on the same device would end the first session. */
export async function logInOnAnotherDevice(baseURL: string | undefined, person: Person): Promise<string> {
  // A new context would start with the cookies of this one.
  const storageState = { cookies: [], origins: [] };
  const otherDevice = await requests.newContext({ storageState, ...(baseURL && { baseURL }) });
  const token = await logIn(otherDevice, person);
  await otherDevice.dispose();
  return token;
}

/** Confirms the email address of an account with the link from the email. */
export async function confirmEmail(request: APIRequestContext, { email }: Person): Promise<void> {
  const token = (await linkTo(email, "confirm-email")).split("token=")[1];
  const confirmed = await request.post("/api/v1/auth/confirm-email", { data: { token } });
  expect(confirmed.status()).toBe(204);
}

/** Verifies the phone number of an account with the code from the SMS, so that it can be used to log in. */
export async function verifyPhone(baseURL: string | undefined, person: Person): Promise<void> {
  const token = await logInOnAnotherDevice(baseURL, person);
  const context = await requests.newContext({ ...(baseURL && { baseURL }), extraHTTPHeaders: bearer(token) });
  expect((await context.post("/api/v1/account/phone/code")).status()).toBe(202);
  const data = { code: await codeSentTo(person.phone) };
  expect((await context.post("/api/v1/account/phone/verify", { data })).status()).toBe(200);
  await context.dispose();
}

export function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

export async function getClient(request: APIRequestContext, token: string): Promise<ClientRecord> {
  const response = await request.get("/api/v1/trades/client", { headers: bearer(token) });
  expect(response.status()).toBe(200);
  return response.json();
}

export async function importFile(
  { request, token }: Account,
  path: string,
  broker: Broker,
  tradetype: "equity" | "fno" = "equity",
): Promise<void> {
  const response = await request.post("/api/v1/uploadexcel", {
    headers: { ...bearer(token), Prefer: "return=minimal" },
    multipart: {
      broker,
      tradetype,
      file: { name: basename(path), mimeType: "application/octet-stream", buffer: await readFile(path) },
    },
  });
  expect(response.status()).toBe(200);
}
