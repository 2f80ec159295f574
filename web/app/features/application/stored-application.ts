import type { Receipt } from "#features/application/send-application.ts";

/** Application that was stored, and the address of its emails. */
export type StoredApplication = { receipt: Receipt; email: string };

const KEY = "storedApplication";

/** Returns the application whose receipt this entry of the browser's history shows. */
export function readStoredApplication(): StoredApplication | undefined {
  const state: unknown = window.history.state;
  if (typeof state !== "object" || state === null || !(KEY in state)) return undefined;
  return state[KEY] as StoredApplication;
}

/** Keeps the application in the entry of the history, so that its receipt survives a reload and Back. */
export function keepStoredApplication(stored: StoredApplication) {
  window.history.replaceState({ ...window.history.state, [KEY]: stored }, "");
}
