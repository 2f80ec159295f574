import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { QueueEvents } from "#features/import/import-api.ts";
import type { ImportItem } from "#features/import/import-item.ts";
import { isBusy } from "#features/import/import-item.ts";
import { ImportQueue } from "#features/import/import-queue.ts";
import { loadReviews, saveReviews } from "#features/import/review-storage.ts";

export type FileImports = Omit<ImportQueue, "items" | "subscribe" | "restore" | "stop"> & {
  items: readonly ImportItem[];
};

/** Import queue of one account. Used above the panels, so that an import continues while other panels are open. */
export function useImport(email: string, events: QueueEvents): FileImports {
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(
    () =>
      new ImportQueue(
        // Already loaded by the form when it is needed; not loaded for the log only.
        async () => (await import("#features/import/send-import.ts")).importApi(email),
        {
          onStart: () => latest.current.onStart(),
          onStored: (report) => latest.current.onStored(report),
          onMaybeStored: () => latest.current.onMaybeStored(),
          onSettled: (items) => latest.current.onSettled(items),
        },
      ),
  );
  const items = useSyncExternalStore(queue.subscribe, queue.items, queue.items);

  // Loaded before the effect below stores the current items.
  const [storedReviews] = useState(() => loadReviews(email));
  useEffect(() => {
    queue.restore(storedReviews);
    return queue.stop;
  }, [queue, storedReviews]);

  useEffect(() => {
    saveReviews(email, items);
  }, [email, items]);

  const busy = isBusy(items);
  useEffect(() => {
    if (!busy) return;
    const confirmUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", confirmUnload);
    return () => window.removeEventListener("beforeunload", confirmUnload);
  }, [busy]);

  return { ...queue, items };
}
