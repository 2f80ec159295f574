/**
 * Storage that never throws: a browser may refuse it (private windows, full disk, policies), and then the
 * app works for as long as the tab lives.
 */
type Area = "localStorage" | "sessionStorage";

function area(name: Area): Storage | undefined {
  try {
    return globalThis.window?.[name];
  } catch {
    return undefined;
  }
}

function open(name: Area) {
  return {
    get(key: string): string | null {
      try {
        return area(name)?.getItem(key) ?? null;
      } catch {
        return null;
      }
    },
    set(key: string, value: string): void {
      try {
        area(name)?.setItem(key, value);
      } catch {
        // Kept in memory by whoever asked; nothing more can be done here.
      }
    },
    remove(key: string): void {
      try {
        area(name)?.removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}

/** Keys in use: `token`, `manualEntryBroker`, `manualEntryTradeType`, `theme`, `palette`. No others. */
export const lasting = open("localStorage");

/** Gone with the tab: drafts, the state of the sidebar. */
export const perTab = open("sessionStorage");
