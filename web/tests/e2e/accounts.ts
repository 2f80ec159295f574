import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type APIRequestContext, expect, request as requests } from "@playwright/test";
import type { components } from "#lib/api-schema.d.ts";
import type { Broker } from "./tradebooks.ts";

export type ClientRecord = components["schemas"]["ClientRecord"];

export type Person = { name: string; email: string; phone: string; password: string };

export type Account = Person & {
  /** Holds the refresh cookie of the sign-in that gave `token`. */
  request: APIRequestContext;
  token: string;
};

let people = 0;

/** Somebody nobody has met in this run. */
export function newPerson(workerIndex: number): Person {
  people += 1;
  const number = `${String(workerIndex).padStart(4, "0")}${String(people).padStart(5, "0")}`;
  return {
    name: "Asha Rao",
    email: `asha.${number}@example.in`,
    phone: `9${number}`,
    password: "open sesame",
  };
}

/** Registered and signed in by the API, for tests about something else. */
export async function newAccount(request: APIRequestContext, workerIndex: number): Promise<Account> {
  const person = newPerson(workerIndex);
  const registered = await request.post("/api/v1/auth/register", {
    data: { ...person, confirmPassword: person.password },
  });
  expect(registered.status()).toBe(201);
  return { ...person, request, token: await logIn(request, person) };
}

export async function logIn(request: APIRequestContext, { email, password }: Person): Promise<string> {
  const answer = await request.post("/api/v1/auth/login", { data: { email, password } });
  expect(answer.status()).toBe(200);
  const { data }: { data: { token: string } } = await answer.json();
  return data.token;
}

/** On another device: signing in anew on the same one ends the sign-in before. */
export async function logInElsewhere(baseURL: string | undefined, person: Person): Promise<string> {
  // A new context would begin with the cookies of this one.
  const storageState = { cookies: [], origins: [] };
  const elsewhere = await requests.newContext({ storageState, ...(baseURL && { baseURL }) });
  const token = await logIn(elsewhere, person);
  await elsewhere.dispose();
  return token;
}

export function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

export async function clientOf(request: APIRequestContext, token: string): Promise<ClientRecord> {
  const answer = await request.get("/api/v1/trades/client", { headers: bearer(token) });
  expect(answer.status()).toBe(200);
  return answer.json();
}

export async function importFile(
  { request, token }: Account,
  path: string,
  broker: Broker,
  tradetype: "equity" | "fno" = "equity",
): Promise<void> {
  const answer = await request.post("/api/v1/uploadexcel", {
    headers: { ...bearer(token), Prefer: "return=minimal" },
    multipart: {
      broker,
      tradetype,
      file: { name: basename(path), mimeType: "application/octet-stream", buffer: await readFile(path) },
    },
  });
  expect(answer.status()).toBe(200);
}
