import { useState } from "react";
import { shortcutsOn, switchShortcuts } from "#lib/use-shortcuts.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

const SHORTCUTS = [
  { keys: ["/"], does: "Search the Trade Log" },
  { keys: ["j", "k"], does: "Next and previous row" },
  { keys: ["Enter"], does: "Open the row" },
  { keys: ["n"], does: "Add Trades" },
  { keys: ["Ctrl", "Enter"], does: "Save and add another" },
  { keys: ["g", "l"], does: "Trade Log: g, then l" },
  { keys: ["g", "a"], does: "Analytics: g, then a" },
  { keys: ["Esc"], does: "Clear the filters" },
  { keys: ["?"], does: "This list" },
] as const;

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Shortcuts"
      actions={
        <Button variant="secondary" data-autofocus onClick={onClose}>
          Close
        </Button>
      }
    >
      <dl className="divide-y divide-line border-line border-y text-ui">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className="flex items-center justify-between gap-4 py-2">
            <dt>{does}</dt>
            <dd className="flex gap-1.5">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="inline-flex h-6.5 min-w-6.5 items-center justify-center rounded-tag border border-line-strong px-1.5 font-sans font-medium text-floor text-ink"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <OnSwitch />
    </Dialog>
  );
}

function OnSwitch() {
  const [on, setOn] = useState(shortcutsOn);
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 pt-2 text-ink text-ui">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => {
          switchShortcuts(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
        className="size-5 accent-brand"
      />
      Use shortcuts in this tab
    </label>
  );
}
