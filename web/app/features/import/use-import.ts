import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ImportItem } from "#features/import/import-item.ts";
import { isBusy } from "#features/import/import-item.ts";
import { ImportQueue, type QueueEvents } from "#features/import/import-queue.ts";
import { keepReviews, keptReviews } from "#features/import/kept-reviews.ts";

export type Importing = Omit<ImportQueue, "items" | "subscribe" | "restore" | "stop"> & {
  items: readonly ImportItem[];
};

/** The files of one account. They live above the panels, so that an import goes on while the log is looked at. */
export function useImport(email: string, events: QueueEvents): Importing {
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(
    () =>
      new ImportQueue(
        // The form has loaded this by the time it is needed; who only reads the log does without.
        async () => (await import("#features/import/send-import.ts")).importSender(email),
        {
          onBegin: () => latest.current.onBegin(),
          onStored: (report) => latest.current.onStored(report),
          onOpen: () => latest.current.onOpen(),
          onSettled: (items) => latest.current.onSettled(items),
        },
      ),
  );
  const items = useSyncExternalStore(queue.subscribe, queue.items, queue.items);

  // Read before anything is kept anew, below.
  const [kept] = useState(() => keptReviews(email));
  useEffect(() => {
    queue.restore(kept);
    return queue.stop;
  }, [queue, kept]);

  useEffect(() => {
    keepReviews(email, items);
  }, [email, items]);

  const busy = isBusy(items);
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [busy]);

  return { ...queue, items };
}
