import { entryPath } from "#features/trader-journal/entry-title.ts";
import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { screenshotRequests } from "#features/trader-journal/screenshots/screenshot-requests.ts";
import { sendScreenshot } from "#features/trader-journal/screenshots/send-screenshot.ts";
import { isUnfinished, UploadQueue } from "#features/trader-journal/screenshots/upload-queue.ts";
import { plural } from "#lib/format.ts";
import { announce } from "#lib/notices.ts";
import { tokenSource } from "#lib/token-source.ts";
import { setUnfinishedWork } from "#lib/unfinished-work.ts";

/** Queues of this tab, by account and entry. They outlive the page of the entry. */
const queues = new Map<string, UploadQueue>();
let isListening = false;

/** Loads the code that checks and shrinks pictures. */
export const loadPreparation = () => import("#features/trader-journal/screenshots/prepare-picture.ts");

function queueId(email: string, { kind, key }: JournalSubject): string {
  return JSON.stringify([email, kind, key]);
}

/** Returns the upload queue of an entry. */
export function uploadQueue(email: string, subject: JournalSubject): UploadQueue {
  const id = queueId(email, subject);
  const queue = queues.get(id) ?? createQueue(subject);
  queues.set(id, queue);
  listen();
  return queue;
}

/** Returns true if a picture was sent from this tab, so that the entry may exist. */
export function hasSentPicture(email: string, subject: JournalSubject): boolean {
  return queues.get(queueId(email, subject))?.hasSent ?? false;
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  tokenSource().onAccountChange(stopAll);
  window.addEventListener("online", () => {
    for (const queue of queues.values()) queue.retryAll();
  });
}

function createQueue(subject: JournalSubject): UploadQueue {
  return new UploadQueue(
    {
      prepare: async (file) => (await loadPreparation()).preparePicture(file),
      send: (id, picture, options) => sendScreenshot(subject, id, picture, options),
      discard: (id) => void screenshotRequests.delete(id),
    },
    {
      onChange: reportUnfinished,
      onUnattended: (failed) =>
        announce({
          tone: "warn",
          title: `${plural(failed.length, "screenshot")} not uploaded.`,
          text: "The pictures are kept until you close this tab.",
          link: { to: entryPath(subject), label: "Open the entry" },
        }),
    },
  );
}

function reportUnfinished(): void {
  const total = [...queues.values()].flatMap((queue) => queue.uploads().filter(isUnfinished)).length;
  setUnfinishedWork("screenshots", total > 0 ? plural(total, "screenshot") : "");
}

/** Ends all uploads: their pictures must not reach another account. */
function stopAll(): void {
  for (const queue of queues.values()) queue.stop();
  queues.clear();
  reportUnfinished();
}
