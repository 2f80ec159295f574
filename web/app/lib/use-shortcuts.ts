import { useLayoutEffect, useRef } from "react";
import { tabStorage } from "#lib/storage.ts";

/** Actions by key as the browser names it, or by two keys in sequence: `j`, `?`, `Escape`, `g l`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const KEY = "shortcuts";
/** Keys that move through a list, which repeat while they are held. Others may change data, so they act once. */
const REPEATED_KEYS = ["j", "k"];
/** Longest time between the two keys of a sequence. */
const MAX_SEQUENCE_MS = 1_000;

export function shortcutsEnabled(): boolean {
  return tabStorage.get(KEY) !== "off";
}

/** Enables or disables shortcuts in this tab: single keys interfere with speech input and other assistive technology. */
export function enableShortcuts(enabled: boolean): void {
  if (enabled) tabStorage.remove(KEY);
  else tabStorage.set(KEY, "off");
}

/** Handles shortcuts, except while a form control has the focus or a dialog or menu is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;

  // A layout effect, so that no key press is lost between rendering and the effect.
  useLayoutEffect(() => {
    let first = "";
    let firstAt = 0;

    function handleKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (!shortcutsEnabled() || isBlocked(event.target)) return;
      // Enter presses the button that was reached by keyboard.
      if (event.key === "Enter" && isPressable(event.target)) return;

      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (event.repeat && !REPEATED_KEYS.includes(key)) return;
      const sequence = event.timeStamp - firstAt < MAX_SEQUENCE_MS ? `${first} ${key}` : key;
      const run = latest.current[sequence] ?? latest.current[key];
      first = run ? "" : key;
      firstAt = event.timeStamp;
      if (!run) return;
      event.preventDefault();
      run();
    }

    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, []);
}

function isBlocked(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest("input, textarea, select, [contenteditable]")) return true;
  return document.querySelector("dialog[open], :popover-open") !== null;
}

function isPressable(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.matches("a:focus-visible, button:focus-visible, summary:focus-visible")
  );
}
