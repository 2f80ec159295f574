import clsx from "clsx";
import { CircleAlert, FileSpreadsheet, Upload } from "lucide-react";
import { type DragEvent, type ReactNode, type RefObject, useEffect, useId, useState } from "react";

export type FileDropProps = {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** File extensions for the `accept` attribute. */
  kinds: string;
  /** Id of the control and its name in the form; generated if absent. */
  id?: string;
  icon?: ReactNode;
  error: string | undefined;
  /** Label of the button: "Choose file". */
  verb: string;
  multiple?: boolean;
  /** Called with at least one file. */
  onFiles: (files: File[]) => void;
  /** The chosen file, or a hint. */
  children: ReactNode;
  /** Content beside the button. */
  aside?: ReactNode;
};

/** Drop zone for files, with a button that does the same without a mouse. */
export function FileDrop({ ref, label, kinds, error, verb, multiple = false, ...props }: FileDropProps) {
  const { id: ownId, icon, onFiles, children, aside } = props;
  const generatedId = useId();
  const id = ownId ?? generatedId;
  const [dragOver, setDragOver] = useState(false);

  // A file dropped outside would open in the tab and replace the page.
  useEffect(() => {
    const prevent = (event: globalThis.DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    window.addEventListener("dragover", prevent);
    window.addEventListener("drop", prevent);
    return () => {
      window.removeEventListener("dragover", prevent);
      window.removeEventListener("drop", prevent);
    };
  }, []);

  function handleFiles(list: FileList | null) {
    const files = Array.from(list ?? []).slice(0, multiple ? undefined : 1);
    if (files.length > 0) onFiles(files);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setDragOver(false);
    handleFiles(event.dataTransfer.files);
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
            <span className="min-w-0 break-words">{error}</span>
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: drag and drop is for the mouse; the button inside is for everyone */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setDragOver(true);
        }}
        onDragLeave={() => setDragOver(false)}
        onDrop={drop}
        className={clsx(
          "flex flex-wrap items-center gap-x-5 gap-y-3 rounded-panel border border-dashed p-5 transition-colors duration-120 ease-out",
          dragOver
            ? "border-brand bg-brand-soft"
            : error
              ? "border-loss bg-surface"
              : "border-line-strong bg-surface",
        )}
      >
        {icon ?? <FileSpreadsheet size={26} strokeWidth={1.5} className="shrink-0 text-ink-3" aria-hidden />}
        <div id={`${id}-shown`} className="min-w-0 flex-1 basis-40">
          {children}
        </div>
        <div className="flex flex-wrap gap-2">
          <div className="relative">
            <input
              ref={ref}
              id={id}
              name={ownId}
              type="file"
              accept={kinds}
              multiple={multiple}
              aria-describedby={error ? `${id}-error ${id}-shown` : `${id}-shown`}
              aria-invalid={error ? true : undefined}
              onChange={({ currentTarget }) => {
                handleFiles(currentTarget.files);
                // So that the same file can be chosen again after it was corrected.
                currentTarget.value = "";
              }}
              // Natively only Space opens the file chooser, and Enter submits the form.
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
              {verb}
            </span>
          </div>
          {aside}
        </div>
      </div>
    </div>
  );
}
