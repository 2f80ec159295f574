import clsx from "clsx";
import { Monitor, Moon, Sun } from "lucide-react";
import { useEffect, useState } from "react";
import { chooseTheme, storedTheme, type Theme } from "#lib/theme.ts";

const CHOICES = [
  { value: "system", label: "System", Icon: Monitor },
  { value: "light", label: "Light", Icon: Sun },
  { value: "dark", label: "Dark", Icon: Moon },
] as const;

/** Selection of the theme: system, light or dark. */
export function ThemeSwitch() {
  // The prerendered page does not know the stored theme; it is read after mount.
  const [theme, setTheme] = useState<Theme>("system");
  useEffect(() => setTheme(storedTheme()), []);

  return (
    <fieldset className="inline-flex rounded-control border border-line bg-surface p-1">
      <legend className="sr-only">Theme</legend>
      {CHOICES.map(({ value, label, Icon }) => (
        <label
          key={value}
          className={clsx(
            "relative flex h-9 cursor-pointer items-center gap-1.5 rounded-tag px-3 font-medium text-floor",
            "has-focus-visible:outline-2 has-focus-visible:outline-focus has-focus-visible:outline-offset-1",
            theme === value ? "bg-brand-soft text-brand" : "text-ink-2 hover:text-ink",
          )}
        >
          <input
            type="radio"
            name="theme"
            value={value}
            checked={theme === value}
            onChange={() => {
              chooseTheme(value);
              setTheme(value);
            }}
            className="sr-only"
          />
          <Icon size={14} aria-hidden />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
