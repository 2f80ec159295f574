import { type RefObject, useEffect, useRef } from "react";
import { pastedPictures } from "#features/trader-journal/screenshots/pasted-pictures.ts";

/** Calls `onFiles` with pictures that are pasted anywhere on the page, unless a dialog covers the section. */
export function usePicturePaste(
  section: RefObject<HTMLElement | null>,
  onFiles: (files: File[]) => void,
): void {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    function handlePaste(event: ClipboardEvent) {
      if (!event.clipboardData || event.defaultPrevented || isCovered(section.current)) return;
      const pictures = pastedPictures(event.clipboardData, isTextField(event.target));
      if (pictures.length === 0) return;
      event.preventDefault();
      latest.current(pictures);
    }
    document.addEventListener("paste", handlePaste);
    return () => document.removeEventListener("paste", handlePaste);
  }, [section]);
}

function isCovered(section: HTMLElement | null): boolean {
  return [...document.querySelectorAll("dialog[open]")].some((dialog) => !dialog.contains(section));
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, [contenteditable]") !== null;
}
