import { persistentStorage } from "#lib/storage.ts";

/** Colours of gain and loss. */
export type Palette = "green-red" | "blue-orange";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const PALETTE = "palette";

/**
 * Applies the stored theme in the head before the first paint, so that the page does not flash. It is the same text on
 * every page and must not contain & < > " ', which React would escape.
 */
export const THEME_SCRIPT =
  "try{const d=document.documentElement.dataset,s=localStorage,t=s.getItem(`theme`);" +
  "if(t===`light`||t===`dark`)d.theme=t;if(s.getItem(`palette`)===`blue-orange`)d.palette=`blue-orange`}catch{}";

export function storedTheme(): Theme {
  const value = persistentStorage.get(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    persistentStorage.remove(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    persistentStorage.set(KEY, theme);
    document.documentElement.dataset.theme = theme;
  }
}

export function storedPalette(): Palette {
  return persistentStorage.get(PALETTE) === "blue-orange" ? "blue-orange" : "green-red";
}

export function choosePalette(palette: Palette): void {
  if (palette === "green-red") {
    persistentStorage.remove(PALETTE);
    delete document.documentElement.dataset.palette;
  } else {
    persistentStorage.set(PALETTE, palette);
    document.documentElement.dataset.palette = palette;
  }
}
