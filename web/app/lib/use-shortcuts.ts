import { useLayoutEffect, useRef } from "react";
import { perTab } from "#lib/storage.ts";

/** A key as the browser names it, or two of them one after the other: `j`, `?`, `Escape`, `g l`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const SWITCH = "shortcuts";
/** Between the keys of a pair. */
const PAUSE = 1_000;

export function shortcutsOn(): boolean {
  return perTab.get(SWITCH) !== "off";
}

/** Single keys disturb who speaks to the computer or types with help: they can be switched off in this tab. */
export function switchShortcuts(on: boolean): void {
  if (on) perTab.remove(SWITCH);
  else perTab.set(SWITCH, "off");
}

/** Silent while something is typed or picked, and while a dialog or a menu is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;

  // With the drawing itself: a key that is pressed on what one sees must not be lost.
  useLayoutEffect(() => {
    let first = "";
    let firstAt = 0;

    function press(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (!shortcutsOn() || isTaken(event.target)) return;

      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const pair = event.timeStamp - firstAt < PAUSE ? `${first} ${key}` : key;
      const run = latest.current[pair] ?? latest.current[key];
      first = run ? "" : key;
      firstAt = event.timeStamp;
      if (!run) return;
      event.preventDefault();
      run();
    }

    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function isTaken(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest("input, textarea, select, [contenteditable]")) return true;
  return document.querySelector("dialog[open], :popover-open") !== null;
}
