import { useSyncExternalStore } from "react";

/** News that belongs to no page, at the head of whichever is open. */
export type Notice = {
  tone: "gain" | "info" | "warn";
  title: string;
  text?: string;
  link?: { to: string; label: string };
};

/** A question that comes before everything else on the page. */
export type Question = { title: string; text?: string; yes: string; answer: (yes: boolean) => void };

type Notices = { notice?: Notice; question?: Question };

const NONE: Notices = {};
let notices = NONE;
const listeners = new Set<() => void>();

function show(next: Notices): void {
  notices = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useNotices(): Notices {
  return useSyncExternalStore(
    subscribe,
    () => notices,
    () => NONE,
  );
}

export function announce(notice: Notice): void {
  show({ notice });
}

/** Unless there is newer news by now. */
export function dismiss(notice: Notice): void {
  if (notices.notice === notice) show(NONE);
}

export function ask(question: Omit<Question, "answer">): Promise<boolean> {
  return new Promise((resolve) => {
    show({
      question: {
        ...question,
        answer(yes) {
          show(NONE);
          resolve(yes);
        },
      },
    });
  });
}
