import { lasting } from "#lib/storage.ts";

/** The colours of gain and loss. */
export type Palette = "green-red" | "blue-orange";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const PALETTE = "palette";

/**
 * Runs in the head before the first paint, so that a chosen theme never flashes. It is text, the same in every
 * page, and has none of & < > " ' in it: React would escape these.
 */
export const THEME_SCRIPT =
  "try{const d=document.documentElement.dataset,s=localStorage,t=s.getItem(`theme`);" +
  "if(t===`light`||t===`dark`)d.theme=t;if(s.getItem(`palette`)===`blue-orange`)d.palette=`blue-orange`}catch{}";

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

export function storedPalette(): Palette {
  return lasting.get(PALETTE) === "blue-orange" ? "blue-orange" : "green-red";
}

export function choosePalette(palette: Palette): void {
  if (palette === "green-red") {
    lasting.remove(PALETTE);
    delete document.documentElement.dataset.palette;
  } else {
    lasting.set(PALETTE, palette);
    document.documentElement.dataset.palette = palette;
  }
}
