import clsx from "clsx";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useController } from "react-hook-form";
import { stockNameFiller } from "#features/entry/stock-name.ts";
import type { EntryForm } from "#features/entry/use-entry.ts";
import { $api } from "#lib/api-query.ts";
import { Field } from "#ui/field.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** Time without typing before suggestions are loaded, in milliseconds. */
const DEBOUNCE_MS = 200;

/** Symbol field with earlier symbols as suggestions: arrow keys select, Enter accepts, Escape closes. */
export function SymbolField({ form }: { form: EntryForm }) {
  const { field, fieldState } = useController({ control: form.control, name: "symbol" });
  const fillName = stockNameFiller(form);
  const list = useId();
  const [open, setOpen] = useState(false);
  const [marked, setMarked] = useState(-1);
  const symbols = useSuggestions(field.value, open);
  const shown = open && symbols.length > 0;
  const option = (index: number) => `${list}-${index}`;

  function accept(symbol: string) {
    field.onChange(symbol);
    close();
  }

  function close() {
    setOpen(false);
    setMarked(-1);
  }

  function handleKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      setMarked((now) => step(now, key === "ArrowDown" ? 1 : -1, symbols.length));
    } else if (key === "Escape" && shown) {
      event.preventDefault();
      close();
    } else if (key === "Enter" && shown) {
      const symbol = symbols[marked];
      if (symbol === undefined) return close();
      event.preventDefault();
      accept(symbol);
    }
  }

  return (
    <Field id="symbol" label="Symbol" error={fieldState.error?.message}>
      {(control) => (
        <div className="relative">
          <TextInput
            {...control}
            ref={field.ref}
            name={field.name}
            role="combobox"
            aria-expanded={shown}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={shown && marked >= 0 ? option(marked) : undefined}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={field.value}
            onChange={(event) => {
              field.onChange(event.target.value);
              setOpen(true);
              setMarked(-1);
            }}
            onBlur={() => {
              field.onBlur();
              close();
              void fillName(field.value);
            }}
            onKeyDown={handleKey}
            className="uppercase"
          />
          <div
            id={list}
            role="listbox"
            aria-label="Suggestions"
            hidden={!shown}
            className="absolute inset-x-0 top-full z-10 mt-1.5 max-h-64 overflow-y-auto rounded-panel border border-line bg-surface p-1.5 shadow-lift"
          >
            {symbols.map((symbol, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field (aria-activedescendant)
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
              <div
                key={symbol}
                id={option(index)}
                role="option"
                aria-selected={index === marked}
                ref={index === marked ? scrollIntoView : undefined}
                // Keeps the focus in the field.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => accept(symbol)}
                className={clsx(
                  "flex min-h-10 cursor-pointer items-center rounded-tag px-3 font-medium text-ui",
                  index === marked ? "bg-brand-soft text-brand" : "hover:bg-sunken",
                )}
              >
                {symbol}
              </div>
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

/** Returns the next selected index; -1 is the field itself. */
function step(now: number, by: 1 | -1, length: number): number {
  const next = now + by;
  if (next < -1) return length - 1;
  return next >= length ? -1 : next;
}

function useSuggestions(text: string, open: boolean): readonly string[] {
  const typed = text.trim().toUpperCase();
  const [query, setQuery] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  const { data } = $api.useQuery(
    "get",
    "/trades/symbols",
    { params: { query: query ? { q: query } : {} } },
    { enabled: open },
  );
  return (data?.symbols ?? []).filter((symbol) => symbol.includes(typed) && symbol !== typed);
}
