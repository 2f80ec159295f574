import { useSyncExternalStore } from "react";

/** Descriptions of work that is lost when the tab is closed, by the part of the app that does it. */
const work = new Map<string, string>();
const listeners = new Set<() => void>();
let description = "";

function confirmUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Records work that is not finished, such as "2 screenshots"; an empty text ends it. The browser asks before a reload. */
export function setUnfinishedWork(source: string, text: string): void {
  if (text) work.set(source, text);
  else work.delete(source);
  description = [...work.values()].join(", ");
  if (description) window.addEventListener("beforeunload", confirmUnload);
  else window.removeEventListener("beforeunload", confirmUnload);
  for (const listener of listeners) listener();
}

/** Ends all unfinished work, which is that of one account. */
export function clearUnfinishedWork(): void {
  for (const source of [...work.keys()]) setUnfinishedWork(source, "");
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a description of the unfinished work; empty if there is none. */
export function useUnfinishedWork(): string {
  return useSyncExternalStore(
    subscribe,
    () => description,
    () => "",
  );
}
