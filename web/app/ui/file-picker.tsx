import clsx from "clsx";
import { CircleAlert, FileSpreadsheet, Upload } from "lucide-react";
import { type DragEvent, type ReactNode, type RefObject, useId, useState } from "react";
import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

export type FilePickerProps = {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** Endings, as `accept` takes them. */
  kinds: string;
  /** The same in words, and how large it may be. */
  hint: ReactNode;
  /** Of the control, and its name in the form; made up when absent. */
  id?: string;
  icon?: ReactNode;
  file: File | undefined;
  error: string | undefined;
  onChange: (file: File | undefined) => void;
};

/** A place to drop a file on, and a button that does the same without a mouse. */
export function FilePicker({
  ref,
  label,
  kinds,
  hint,
  id: given,
  icon = <FileSpreadsheet size={26} strokeWidth={1.5} className="shrink-0 text-ink-3" aria-hidden />,
  file,
  error,
  onChange,
}: FilePickerProps) {
  const made = useId();
  const id = given ?? made;
  const [over, setOver] = useState(false);
  const shown = file ? `${id}-file` : `${id}-hint`;

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped) onChange(dropped);
  }

  return (
    <div>
      <label htmlFor={id} className="block pb-1.5 font-semibold text-ui">
        {label}
      </label>
      <p
        id={`${id}-error`}
        role="alert"
        className={clsx("flex gap-1.5 font-semibold text-data text-loss", error && "pb-1.5")}
      >
        {error && (
          <>
            <CircleAlert size={15} strokeWidth={2.25} className="mt-[0.15em] shrink-0" aria-hidden />
            {error}
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for the mouse alone; the button in it is for all */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={clsx(
          "flex flex-wrap items-center gap-x-5 gap-y-3 rounded-panel border border-dashed p-5 transition-colors duration-120 ease-out",
          over
            ? "border-brand bg-brand-soft"
            : error
              ? "border-loss bg-surface"
              : "border-line-strong bg-surface",
        )}
      >
        {icon}
        <div className="min-w-0 flex-1 basis-40">
          {file ? (
            <p id={shown} className="text-ui">
              <span className="block break-words font-semibold">{file.name}</span>
              <span className="figures text-data text-ink-2">{fileSize(file.size)}</span>
            </p>
          ) : (
            <p id={shown} className="text-ink-2 text-ui">
              Drop the file here, or choose it.
              <span className="block text-data text-ink-3">{hint}</span>
            </p>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          <div className="relative">
            <input
              ref={ref}
              id={id}
              name={given}
              type="file"
              accept={kinds}
              aria-describedby={error ? `${id}-error ${shown}` : shown}
              aria-invalid={error ? true : undefined}
              onChange={({ currentTarget }) => {
                const chosen = currentTarget.files?.[0];
                if (chosen) onChange(chosen);
                // So that the same file, put right in the meantime, can be chosen again.
                currentTarget.value = "";
              }}
              // The platform opens it by Space alone, and sends the form by Enter.
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault();
                if (!event.repeat) event.currentTarget.click();
              }}
              className="peer absolute inset-0 cursor-pointer opacity-0 file:cursor-pointer"
            />
            <span
              aria-hidden="true"
              className="pointer-events-none inline-flex h-11 items-center gap-2 rounded-control border border-line-strong bg-surface px-5 font-semibold text-ui peer-hover:border-brand peer-hover:text-brand peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-focus-visible:outline-offset-2"
            >
              <Upload size={17} aria-hidden />
              {file ? "Choose another" : "Choose file"}
            </span>
          </div>
          {file && (
            <Button
              variant="quiet"
              aria-label={`Remove ${file.name}`}
              onClick={() => {
                onChange(undefined);
                ref.current?.focus();
              }}
            >
              Remove
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
