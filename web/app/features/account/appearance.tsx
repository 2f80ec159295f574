import { useState } from "react";
import { choosePalette, type Palette, storedPalette } from "#lib/theme.ts";
import { ThemeSwitch } from "#ui/theme-switch.tsx";

const PALETTES = [
  { value: "green-red", label: "Green and red" },
  { value: "blue-orange", label: "Blue and orange" },
] as const;

export function Appearance() {
  const [palette, setPalette] = useState<Palette>(storedPalette);
  return (
    <div className="space-y-6">
      <div>
        <p aria-hidden="true" className="mb-2 font-semibold text-ui">
          Theme
        </p>
        <ThemeSwitch />
      </div>
      <fieldset>
        <legend className="mb-1 font-semibold text-ui">Gain and loss</legend>
        {PALETTES.map(({ value, label }) => (
          <label key={value} className="flex min-h-11 items-center gap-3 text-ui">
            <input
              type="radio"
              name="palette"
              value={value}
              checked={palette === value}
              onChange={() => {
                choosePalette(value);
                setPalette(value);
              }}
              className="size-4.5 accent-brand"
            />
            {label}
          </label>
        ))}
        <p aria-hidden="true" className="mt-1 flex flex-wrap gap-3 font-semibold text-ui figures">
          <span className="whitespace-nowrap rounded-tag bg-gain-soft px-2.5 py-1 text-gain">
            ▲ +₹4,896.00
          </span>
          <span className="whitespace-nowrap rounded-tag bg-loss-soft px-2.5 py-1 text-loss">▼ −₹320.50</span>
        </p>
      </fieldset>
    </div>
  );
}
