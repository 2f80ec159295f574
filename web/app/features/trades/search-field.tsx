import clsx from "clsx";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { cleanSearch, MAX_SEARCH_LENGTH } from "#features/trades/log-view.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { CONTROL } from "#ui/text-input.tsx";

/** Time without typing before the search is sent, in milliseconds. */
const DEBOUNCE_MS = 250;

/** A new `key` discards text that was typed but not sent yet; see `clears` in `LogBody`. */
export type SearchFieldProps = { value: string; onChange: (value: string) => void; className?: string };

/** Search field of the log. `/` focuses it; Escape first clears it, then leaves it. */
export function SearchField({ value, onChange, className }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  const sent = useRef(value);
  const latestOnChange = useRef(onChange);
  latestOnChange.current = onChange;
  useShortcuts({ "/": () => input.current?.focus() });

  // A value that this field did not send comes from Clear filters or from Back, and replaces the text. A value that it
  // sent does not, because the trader may have typed more in the meantime.
  if (value !== lastValue) {
    setLastValue(value);
    if (value !== sent.current) setText(value);
  }

  useEffect(() => {
    const search = cleanSearch(text);
    if (search === lastValue) return;
    const timer = setTimeout(() => {
      sent.current = search;
      latestOnChange.current(search);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, lastValue]);

  function handleEscape(event: KeyboardEvent) {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (text) setText("");
    else input.current?.blur();
  }

  return (
    <div className={clsx("relative", className)}>
      <Search
        size={17}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-ink-3"
      />
      <input
        ref={input}
        type="search"
        aria-label="Symbol, note or #tag"
        aria-keyshortcuts="/"
        placeholder="Symbol or note"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_SEARCH_LENGTH}
        enterKeyHint="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={handleEscape}
        className={clsx(CONTROL, "peer search appearance-none pr-9 pl-9.5 sm:h-10 sm:text-ui")}
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2.5 hidden size-5.5 -translate-y-1/2 items-center justify-center rounded-tag border border-line font-sans text-floor text-ink-3 peer-placeholder-shown:peer-[&:not(:focus)]:sm:flex"
      >
        /
      </span>
    </div>
  );
}
