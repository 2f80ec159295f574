import clsx from "clsx";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { cleanSearch } from "#features/trades/log-view.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { CONTROL } from "#ui/text-input.tsx";

/** How long the typing has to rest before the server is asked. */
const REST = 250;

/** Another `key` drops what is typed and not sent yet: see `clears` in the log's body. */
export type SearchFieldProps = { value: string; onChange: (value: string) => void; className?: string };

/** `/` leads here, Esc empties it and then leaves it. */
export function SearchField({ value, onChange, className }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const sent = useRef(value);
  const change = useRef(onChange);
  change.current = onChange;
  useShortcuts({ "/": () => input.current?.focus() });

  // Not what was sent from here: a press on Clear, or Back. What was sent may have been typed on since.
  if (value !== known) {
    setKnown(value);
    if (value !== sent.current) setText(value);
  }

  useEffect(() => {
    const search = cleanSearch(text);
    if (search === known) return;
    const timer = setTimeout(() => {
      sent.current = search;
      change.current(search);
    }, REST);
    return () => clearTimeout(timer);
  }, [text, known]);

  function leave(event: KeyboardEvent) {
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
        aria-label="Symbol"
        aria-keyshortcuts="/"
        placeholder="Symbol"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        enterKeyHint="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={leave}
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
