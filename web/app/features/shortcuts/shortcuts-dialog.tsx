import { useState } from "react";
import { enableShortcuts, shortcutsEnabled } from "#lib/use-shortcuts.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";

const SHORTCUTS = [
  { keys: ["/"], action: "Search the Trade Log" },
  { keys: ["j", "k"], action: "Next and previous row" },
  { keys: ["Enter"], action: "Open the row" },
  { keys: ["n"], action: "Add Trades" },
  { keys: ["Ctrl", "Enter"], action: "Save and add another" },
  { keys: ["g", "l"], action: "Go to the Trade Log: g, then l" },
  { keys: ["g", "a"], action: "Go to Analytics: g, then a" },
  { keys: ["Esc"], action: "Clear the filters" },
  { keys: ["?"], action: "Show this list" },
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
        {SHORTCUTS.map(({ keys, action }) => (
          <div key={action} className="flex items-center justify-between gap-4 py-2">
            <dt>{action}</dt>
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
      <ShortcutsSwitch />
    </Dialog>
  );
}

function ShortcutsSwitch() {
  const [on, setOn] = useState(shortcutsEnabled);
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 pt-2 text-ink text-ui">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => {
          enableShortcuts(event.currentTarget.checked);
          setOn(event.currentTarget.checked);
        }}
        className="size-5 accent-brand"
      />
      Use shortcuts in this tab
    </label>
  );
}
