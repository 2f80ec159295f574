import { lazy, Suspense, useId, useState } from "react";
import { Button } from "#ui/button.tsx";
import { TextArea } from "#ui/text-area.tsx";

const MarkdownText = lazy(async () => ({
  default: (await import("#features/trader-journal/markdown.tsx")).MarkdownText,
}));

const MAX_NOTE_CHARS = 20_000;

export type NoteEditorProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  rows?: number;
};

/** Editor of a Markdown text: a text area, or the formatted text. */
export function NoteEditor({ label, value, onChange, placeholder, rows = 4 }: NoteEditorProps) {
  const [isEditing, setEditing] = useState(false);
  const id = useId();
  if (value && !isEditing) {
    return (
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <Suspense fallback={<p className="whitespace-pre-wrap">{value}</p>}>
            <MarkdownText text={value} />
          </Suspense>
        </div>
        <Button variant="quiet" size="sm" onClick={() => setEditing(true)}>
          Edit<span className="sr-only"> {label}</span>
        </Button>
      </div>
    );
  }
  return (
    <div>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <TextArea
        id={id}
        value={value}
        rows={rows}
        maxLength={MAX_NOTE_CHARS}
        placeholder={placeholder}
        onFocus={() => setEditing(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      {value && (
        <div className="mt-2 flex items-center gap-3 text-data text-ink-3">
          <Button variant="secondary" size="sm" onClick={() => setEditing(false)}>
            Preview
          </Button>
          <span>Markdown: **bold**, - list, ## heading</span>
        </div>
      )}
    </div>
  );
}
