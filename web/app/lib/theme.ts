import { lasting } from "#lib/storage.ts";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";

/**
 * Runs in the head before the first paint, so that a chosen theme never flashes. It is text, the same in every
 * page, and has none of & < > " ' in it: React would escape these.
 */
export const THEME_SCRIPT =
  "try{const t=localStorage.getItem(`theme`);if(t===`light`||t===`dark`)document.documentElement.dataset.theme=t}catch{}";

export function storedTheme(): Theme {
  const value = lasting.get(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    lasting.remove(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    lasting.set(KEY, theme);
    document.documentElement.dataset.theme = theme;
  }
}
