import type { EntryContent, JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { tabStorage } from "#lib/storage.ts";

/** Unsaved text of an entry, kept in this browser until the server has it. */
export type Draft = {
  id: string;
  email: string;
  kind: JournalSubject["kind"];
  key: string;
  /** Tab that wrote it, so that two tabs keep both texts. */
  tab: string;
  /** Content and version that the edit is based on. */
  base: EntryContent;
  version: number;
  content: EntryContent;
  savedAt: string;
};

/** Storage of drafts. It never throws: without storage, drafts live as long as the page. */
export type DraftStore = {
  put: (draft: Draft) => Promise<void>;
  remove: (id: string) => Promise<void>;
  /** Returns the drafts of an account about an entry, of all tabs. */
  list: (email: string, subject: Pick<JournalSubject, "kind" | "key">) => Promise<Draft[]>;
};

const DATABASE = "journal-drafts";
const STORE = "drafts";
const TAB_KEY = "journal-tab";

/** Returns an id of this tab, which survives a reload. */
export function tabId(): string {
  const stored = tabStorage.get(TAB_KEY);
  if (stored) return stored;
  const id = crypto.randomUUID();
  tabStorage.set(TAB_KEY, id);
  return id;
}

export function draftId(
  email: string,
  { kind, key }: Pick<JournalSubject, "kind" | "key">,
  tab: string,
): string {
  return JSON.stringify([email, kind, key, tab]);
}

/** Drafts in IndexedDB: they survive a closed tab and a restart of the browser. */
export const browserDrafts: DraftStore = {
  put: (draft) => run("readwrite", (store) => store.put(draft)).then(() => undefined),
  remove: (id) => run("readwrite", (store) => store.delete(id)).then(() => undefined),
  async list(email, { kind, key }) {
    const all = await run<Draft[]>("readonly", (store) => store.getAll());
    return (all ?? []).filter((draft) => draft.email === email && draft.kind === kind && draft.key === key);
  },
};

let database: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return database;
}

async function run<T>(
  mode: IDBTransactionMode,
  action: (store: IDBObjectStore) => IDBRequest,
): Promise<T | undefined> {
  try {
    const transaction = (await open()).transaction(STORE, mode);
    const request = action(transaction.objectStore(STORE));
    return await new Promise<T>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } catch (error) {
    console.warn("The browser does not store drafts.", error);
    return undefined;
  }
}
