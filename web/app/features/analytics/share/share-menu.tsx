import { ChevronDown, ImageDown, Printer, Share2 } from "lucide-react";
import { useState } from "react";
import type { Overview } from "#features/analytics/analytics-api.ts";
import { Menu, MenuButton } from "#ui/menu.tsx";

export type ShareMenuProps = {
  overview: Overview;
  /** What is filtered by, in words. */
  words: string;
};

/** The page on paper, or its sum as a picture: with rupees, or without, for others' eyes. */
export function ShareMenu({ overview, words }: ShareMenuProps) {
  const [line, setLine] = useState("");

  async function save(rupees: boolean) {
    setLine("The picture is being drawn.");
    const { savePicture } = await import("#features/analytics/share/share-picture.ts");
    setLine(
      (await savePicture(overview, words, rupees))
        ? "The picture is in the downloads."
        : "The picture could not be drawn.",
    );
  }

  return (
    <div className="flex items-center">
      <p role="status" className="text-data text-ink-2 not-empty:mr-3">
        {line}
      </p>
      <Menu
        className="h-10 border border-line-strong bg-surface px-3.5 font-semibold text-ui hover:border-brand hover:text-brand"
        trigger={
          <>
            <Share2 size={16} aria-hidden />
            Share
            <ChevronDown size={14} aria-hidden />
          </>
        }
      >
        <MenuButton onPress={() => void save(true)}>
          <ImageDown size={18} className="text-ink-2" aria-hidden />
          Picture with rupees
        </MenuButton>
        <MenuButton onPress={() => void save(false)}>
          <ImageDown size={18} className="text-ink-2" aria-hidden />
          Picture without rupees
        </MenuButton>
        <MenuButton onPress={() => window.print()}>
          <Printer size={18} className="text-ink-2" aria-hidden />
          Print
        </MenuButton>
      </Menu>
    </div>
  );
}
