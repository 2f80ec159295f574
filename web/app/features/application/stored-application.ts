import type { Receipt } from "#features/application/send-application.ts";

/** Application that was stored, and the address of its emails. */
export type StoredApplication = { receipt: Receipt; email: string };

const KEY = "storedApplication";

/** Minutes after which the server no longer accepts another address. */
const CORRECTION_MINUTES = 30;

/** Returns the application whose receipt this entry of the browser's history shows. */
export function readStoredApplication(): StoredApplication | undefined {
  const state: unknown = window.history.state;
  if (typeof state !== "object" || state === null || !(KEY in state)) return undefined;
  const stored = state[KEY] as StoredApplication;
  const minutes = (Date.now() - Date.parse(stored.receipt.receivedAt)) / 60_000;
  if (minutes < CORRECTION_MINUTES) return stored;
  return { ...stored, receipt: { ...stored.receipt, emailCorrectionToken: null } };
}

/** Keeps the application in the entry of the history, so that its receipt survives a reload and Back. */
export function keepStoredApplication(stored: StoredApplication) {
  window.history.replaceState({ ...window.history.state, [KEY]: stored }, "");
}
