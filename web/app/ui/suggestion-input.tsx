import clsx from "clsx";
import { type ComponentProps, type KeyboardEvent, useId, useState } from "react";
import { TextInput } from "#ui/text-input.tsx";

export type SuggestionInputProps = Omit<
  ComponentProps<"input">,
  "value" | "onChange" | "onBlur" | "onKeyDown" | "list"
> & {
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  suggestions: readonly string[];
  /** The suggestions are shown while this is true; the caller keeps the state, to load them only then. */
  open: boolean;
  onOpen: (open: boolean) => void;
};

/** Text input in capitals with suggestions: arrow keys select, Enter accepts, Escape closes. */
export function SuggestionInput({
  value,
  onChange,
  onBlur,
  suggestions,
  open,
  onOpen,
  className,
  ...rest
}: SuggestionInputProps) {
  const list = useId();
  const [marked, setMarked] = useState(-1);
  const shown = open && suggestions.length > 0;
  const option = (index: number) => `${list}-${index}`;

  function accept(suggestion: string) {
    onChange(suggestion);
    close();
  }

  function close() {
    onOpen(false);
    setMarked(-1);
  }

  const handleKey = suggestionKeys({
    suggestions,
    shown,
    marked,
    mark(index) {
      onOpen(true);
      setMarked(index);
    },
    accept,
    close,
  });

  return (
    <div className="relative">
      <TextInput
        {...rest}
        role="combobox"
        aria-expanded={shown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={shown && marked >= 0 ? option(marked) : undefined}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          onOpen(true);
          setMarked(-1);
        }}
        onBlur={() => {
          onBlur?.();
          close();
        }}
        onKeyDown={handleKey}
        className={clsx("uppercase", className)}
      />
      <SuggestionList
        id={list}
        suggestions={suggestions}
        shown={shown}
        marked={marked}
        optionId={option}
        onAccept={accept}
      />
    </div>
  );
}

type SuggestionKeys = {
  suggestions: readonly string[];
  shown: boolean;
  marked: number;
  mark: (index: number) => void;
  accept: (suggestion: string) => void;
  close: () => void;
};

function suggestionKeys({ suggestions, shown, marked, mark, accept, close }: SuggestionKeys) {
  return (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      mark(step(marked, key === "ArrowDown" ? 1 : -1, suggestions.length));
    } else if (key === "Escape" && shown) {
      event.preventDefault();
      close();
    } else if (key === "Enter" && shown) {
      const suggestion = suggestions[marked];
      if (suggestion === undefined) return close();
      event.preventDefault();
      accept(suggestion);
    }
  };
}

type SuggestionListProps = {
  id: string;
  suggestions: readonly string[];
  shown: boolean;
  marked: number;
  optionId: (index: number) => string;
  onAccept: (suggestion: string) => void;
};

function SuggestionList({ id, suggestions, shown, marked, optionId, onAccept }: SuggestionListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      hidden={!shown}
      className="absolute inset-x-0 top-full z-10 mt-1.5 max-h-64 overflow-y-auto rounded-panel border border-line bg-surface p-1.5 shadow-lift"
    >
      {suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field (aria-activedescendant)
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
        <div
          key={suggestion}
          id={optionId(index)}
          role="option"
          aria-selected={index === marked}
          ref={index === marked ? scrollIntoView : undefined}
          // Keeps the focus in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onAccept(suggestion)}
          className={clsx(
            "flex min-h-10 cursor-pointer items-center rounded-tag px-3 font-medium text-ui",
            index === marked ? "bg-brand-soft text-brand" : "hover:bg-sunken",
          )}
        >
          {suggestion}
        </div>
      ))}
    </div>
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
