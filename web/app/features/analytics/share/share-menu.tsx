import { ChevronDown, ImageDown, Printer, Share2 } from "lucide-react";
import { useState } from "react";
import type { Overview } from "#features/analytics/analytics-api.ts";
import type { UnitName } from "#features/analytics/filters/units.ts";
import { Menu, MenuButton } from "#ui/menu.tsx";

export type ShareMenuProps = {
  overview: Overview;
  /** Unit that the figures count. */
  unit: UnitName;
  /** Description of the active filters. */
  filterText: string;
};

/** Menu that prints the page, or downloads an image of the result with or without amounts. */
export function ShareMenu({ overview, unit, filterText }: ShareMenuProps) {
  const [status, setStatus] = useState("");

  async function save(amounts: boolean) {
    setStatus("Creating the image.");
    const { saveImage } = await import("#features/analytics/share/share-image.ts");
    setStatus(
      (await saveImage(overview, unit, filterText, amounts))
        ? "Image downloaded."
        : "The image could not be created.",
    );
  }

  return (
    <div className="flex items-center">
      <p role="status" className="text-data text-ink-2 not-empty:mr-3">
        {status}
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
          Download image with amounts
        </MenuButton>
        <MenuButton onPress={() => void save(false)}>
          <ImageDown size={18} className="text-ink-2" aria-hidden />
          Download image without amounts
        </MenuButton>
        <MenuButton onPress={() => window.print()}>
          <Printer size={18} className="text-ink-2" aria-hidden />
          Print
        </MenuButton>
      </Menu>
    </div>
  );
}
