import clsx from "clsx";
import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { hasLabel, uniteLabels, withoutLabel } from "#features/trader-journal/journal-entry.ts";

/** Longest setup, tag, mistake or emotion. */
const MAX_LABEL_CHARS = 40;

const CHIP =
  "inline-flex min-h-9 pointer-coarse:min-h-11 items-center gap-2 rounded-control border px-3 text-ui transition-colors duration-120";

type ChipProps = {
  pressed: boolean;
  tone?: "brand" | "loss";
  keyHint?: string | undefined;
  onClick: () => void;
  children: string;
};

/** Toggle with an optional key. */
export function Chip({ pressed, tone = "brand", keyHint, onClick, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      aria-keyshortcuts={keyHint}
      onClick={onClick}
      className={clsx(
        CHIP,
        !pressed && "border-line-strong bg-surface hover:border-brand",
        pressed && tone === "brand" && "border-brand bg-brand text-on-brand",
        pressed && tone === "loss" && "border-loss bg-loss-soft text-loss",
      )}
    >
      {keyHint && (
        <span aria-hidden="true" className="rounded-tag border border-current px-1 text-floor">
          {keyHint.toUpperCase()}
        </span>
      )}
      {children}
    </button>
  );
}

type LabelsFieldProps = {
  label: string;
  values: string[];
  /** Labels that the trader has used, most frequent first. */
  suggestions: readonly string[];
  tone?: "brand" | "loss";
  /** Keys of the suggestions, in their order. */
  keys?: readonly string[];
  onChange: (values: string[]) => void;
};

/** Choice of several labels: the usual ones as toggles, and a field for new ones. */
export function LabelsField({
  label,
  values,
  suggestions,
  tone = "brand",
  keys = [],
  onChange,
}: LabelsFieldProps) {
  const shown = uniteLabels(suggestions.slice(0, 9), values);
  const toggle = (name: string) =>
    onChange(hasLabel(values, name) ? withoutLabel(values, name) : uniteLabels(values, [name]));
  return (
    <fieldset aria-label={label} className="flex min-w-0 flex-wrap gap-2">
      {shown.map((name, index) => (
        <Chip
          key={name.toLowerCase()}
          pressed={hasLabel(values, name)}
          tone={tone}
          keyHint={keys[index]}
          onClick={() => toggle(name)}
        >
          {name}
        </Chip>
      ))}
      <NewLabel
        label={label}
        suggestions={suggestions}
        onAdd={(name) => onChange(uniteLabels(values, [name]))}
      />
    </fieldset>
  );
}

type NewLabelProps = { label: string; suggestions: readonly string[]; onAdd: (name: string) => void };

/** Field for a label that is not among the toggles. */
export function NewLabel({ label, suggestions, onAdd }: NewLabelProps) {
  const [text, setText] = useState<string>();
  const list = useId();
  if (text === undefined) {
    return (
      <button
        type="button"
        onClick={() => setText("")}
        className={clsx(CHIP, "border-line-strong border-dashed text-ink-2 hover:border-brand")}
      >
        <Plus size={16} aria-hidden />
        New<span className="sr-only">: {label}</span>
      </button>
    );
  }
  function add() {
    const name = (text ?? "").replace(/^[\s#]+|,/g, "").trim();
    if (name) onAdd(name);
    setText(undefined);
  }
  return (
    <span className="inline-flex items-center gap-1">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user asked for the field by pressing the button in its place
        autoFocus
        value={text}
        aria-label={`New: ${label}`}
        maxLength={MAX_LABEL_CHARS}
        list={list}
        onChange={(event) => setText(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            add();
          }
          if (event.key === "Escape") setText(undefined);
        }}
        className="h-9 pointer-coarse:h-11 w-40 rounded-control border border-line-strong bg-surface px-3 text-ui"
      />
      <datalist id={list}>
        {suggestions.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </span>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  suggestions: readonly string[];
  keys?: readonly string[];
  onChange: (value: string) => void;
};

/** Choice of one label or none. */
export function LabelChoice({ label, value, suggestions, keys = [], onChange }: ChoiceProps) {
  const shown = uniteLabels(suggestions.slice(0, 9), value ? [value] : []);
  const isChosen = (name: string) => name.toLowerCase() === value.toLowerCase();
  return (
    <fieldset aria-label={label} className="flex min-w-0 flex-wrap gap-2">
      {shown.map((name, index) => (
        <Chip
          key={name.toLowerCase()}
          pressed={isChosen(name)}
          keyHint={keys[index]}
          onClick={() => onChange(isChosen(name) ? "" : name)}
        >
          {name}
        </Chip>
      ))}
      <NewLabel label={label} suggestions={suggestions} onAdd={onChange} />
    </fieldset>
  );
}

/** Rating from 1 to 5; pressing the chosen one removes it. */
export function RatingField({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  return (
    <fieldset aria-label="Rating" className="flex min-w-0 flex-wrap gap-2">
      {[1, 2, 3, 4, 5].map((rating) => (
        <button
          key={rating}
          type="button"
          aria-pressed={value === rating}
          aria-label={`${rating} of 5`}
          onClick={() => onChange(value === rating ? 0 : rating)}
          className={clsx(
            CHIP,
            "min-w-10 justify-center pointer-coarse:min-w-11",
            value === rating
              ? "border-brand bg-brand text-on-brand"
              : "border-line-strong bg-surface hover:border-brand",
          )}
        >
          {rating}
        </button>
      ))}
    </fieldset>
  );
}

/** Removable label, for a filter. */
export function RemovableLabel({ children, onRemove }: { children: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      onClick={onRemove}
      className={clsx(CHIP, "border-brand bg-brand-soft text-brand")}
      aria-label={`Remove ${children}`}
    >
      {children}
      <X size={14} aria-hidden />
    </button>
  );
}
