// Browsers may refuse storage (private windows, full disk, policies). These functions never throw; without storage the
// app works until the tab is closed.

type StorageName = "localStorage" | "sessionStorage";

function browserStorage(name: StorageName): Storage | undefined {
  try {
    return globalThis.window?.[name];
  } catch {
    return undefined;
  }
}

function openStorage(name: StorageName) {
  return {
    get(key: string): string | null {
      try {
        return browserStorage(name)?.getItem(key) ?? null;
      } catch {
        return null;
      }
    },
    set(key: string, value: string): void {
      try {
        browserStorage(name)?.setItem(key, value);
      } catch {
        // The caller keeps the value in memory.
      }
    },
    remove(key: string): void {
      try {
        browserStorage(name)?.removeItem(key);
      } catch {
        // See above.
      }
    },
  };
}

/** The only keys are `token`, `manualEntryBroker`, `manualEntryTradeType`, `theme`, `palette` and `lotSizes`. */
export const persistentStorage = openStorage("localStorage");

/** Lasts until the tab is closed: drafts, state of the sidebar. */
export const tabStorage = openStorage("sessionStorage");
