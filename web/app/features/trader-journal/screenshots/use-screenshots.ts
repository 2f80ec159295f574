import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { EntrySaver } from "#features/trader-journal/entry-saver.ts";
import { refreshJournal } from "#features/trader-journal/journal-queries.ts";
import { loadPreparation, uploadQueue } from "#features/trader-journal/screenshots/entry-uploads.ts";
import { ScreenshotList } from "#features/trader-journal/screenshots/screenshot-list.ts";
import { screenshotRequests } from "#features/trader-journal/screenshots/screenshot-requests.ts";

/** Stored screenshots of an entry and its uploads. `onBegin` is called before a picture is sent. */
export function useScreenshots(saver: EntrySaver, onBegin: (() => void) | undefined) {
  const client = useQueryClient();
  const [queue] = useState(() => uploadQueue(saver.email, saver.subject));
  const [list] = useState(
    () => new ScreenshotList(saver.loadedScreenshots, screenshotRequests, () => void refreshJournal(client)),
  );
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads, queue.uploads);
  const stored = useSyncExternalStore(list.subscribe, list.state, list.state);

  const latest = useRef({ saver, onBegin });
  latest.current = { saver, onBegin };
  useEffect(
    () =>
      queue.attach({
        async beforeSend() {
          latest.current.onBegin?.();
          await latest.current.saver.flush();
        },
        onStored(entry, id) {
          list.add(entry, id);
          void latest.current.saver.adopt(entry);
        },
      }),
    [queue, list],
  );

  // Loaded early, so that pictures can be chosen without a connection.
  useEffect(() => {
    loadPreparation().catch(() => undefined);
  }, []);

  return { queue, list, uploads, stored };
}
