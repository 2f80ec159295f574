import { useSyncExternalStore } from "react";

/** A message at the top of any page. */
export type Notice = {
  tone: "gain" | "info" | "warn";
  title: string;
  text?: string;
  link?: { to: string; label: string };
};

/** A question in a modal dialog. */
export type Question = {
  title: string;
  text?: string;
  confirmLabel: string;
  answer: (confirmed: boolean) => void;
};

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

/** Shows a notice; it replaces the current one. */
export function announce(notice: Notice): void {
  show({ notice });
}

/** Removes the notice, unless a newer one is shown. */
export function dismiss(notice: Notice): void {
  if (notices.notice === notice) show(NONE);
}

/** Asks the user and resolves to the answer. */
export function ask(question: Omit<Question, "answer">): Promise<boolean> {
  return new Promise((resolve) => {
    show({
      question: {
        ...question,
        answer(confirmed) {
          show(NONE);
          resolve(confirmed);
        },
      },
    });
  });
}
