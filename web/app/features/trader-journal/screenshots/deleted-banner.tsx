import { Undo2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Screenshot } from "#features/trader-journal/screenshots/screenshot.ts";
import type { ScreenshotList } from "#features/trader-journal/screenshots/screenshot-list.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

type DeletedBannerProps = {
  list: ScreenshotList;
  /** Screenshots that can be restored. */
  deleted: readonly Screenshot[];
  /** Called with the id of a screenshot after all were restored. */
  onRestored: (id: string) => void;
};

/** Message about deleted screenshots with an Undo button, which gets the focus: that of the viewer has disappeared. */
export function DeletedBanner({ list, deleted, onRestored }: DeletedBannerProps) {
  const total = deleted.length;
  const [pending, setPending] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each deletion moves the focus
  useEffect(() => button.current?.focus(), [total]);
  async function undo() {
    setPending(true);
    await list.undo();
    setPending(false);
    if (list.state().deleted.length === 0) onRestored(deleted[0]?.id ?? "");
  }
  return (
    <Banner
      role="status"
      className="mb-3"
      title={total === 1 ? "Screenshot deleted" : `${plural(total, "screenshot")} deleted`}
      onDismiss={() => list.dismiss()}
      actions={
        <Button
          ref={button}
          size="sm"
          variant="secondary"
          className="pointer-coarse:h-11"
          icon={<Undo2 size={17} aria-hidden />}
          pending={pending}
          onClick={() => void undo()}
        >
          Undo
        </Button>
      }
    >
      You can undo this until you leave this page.
    </Banner>
  );
}
