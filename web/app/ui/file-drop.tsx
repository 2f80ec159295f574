import clsx from "clsx";
import { CircleAlert, FileSpreadsheet, Upload } from "lucide-react";
import { type DragEvent, type ReactNode, type RefObject, useEffect, useId, useState } from "react";

export type FileDropProps = {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** Endings, as `accept` takes them. */
  kinds: string;
  /** Of the control, and its name in the form; made up when absent. */
  id?: string;
  icon?: ReactNode;
  error: string | undefined;
  /** On the button: "Choose file". */
  verb: string;
  multiple?: boolean;
  /** At least one. */
  onFiles: (files: File[]) => void;
  /** What is chosen, or what may be. */
  children: ReactNode;
  /** Beside the button. */
  aside?: ReactNode;
};

/** A place to drop files on, and a button that does the same without a mouse. */
export function FileDrop({ ref, label, kinds, error, verb, multiple = false, ...props }: FileDropProps) {
  const { id: given, icon, onFiles, children, aside } = props;
  const made = useId();
  const id = given ?? made;
  const [over, setOver] = useState(false);

  // Dropped beside the place, a file would open in the tab, and the page with what is chosen would be gone.
  useEffect(() => {
    const keep = (event: globalThis.DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    window.addEventListener("dragover", keep);
    window.addEventListener("drop", keep);
    return () => {
      window.removeEventListener("dragover", keep);
      window.removeEventListener("drop", keep);
    };
  }, []);

  function take(list: FileList | null) {
    const files = Array.from(list ?? []).slice(0, multiple ? undefined : 1);
    if (files.length > 0) onFiles(files);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
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
        {icon ?? <FileSpreadsheet size={26} strokeWidth={1.5} className="shrink-0 text-ink-3" aria-hidden />}
        <div id={`${id}-shown`} className="min-w-0 flex-1 basis-40">
          {children}
        </div>
        <div className="flex flex-wrap gap-2">
          <div className="relative">
            <input
              ref={ref}
              id={id}
              name={given}
              type="file"
              accept={kinds}
              multiple={multiple}
              aria-describedby={error ? `${id}-error ${id}-shown` : `${id}-shown`}
              aria-invalid={error ? true : undefined}
              onChange={({ currentTarget }) => {
                take(currentTarget.files);
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
              {verb}
            </span>
          </div>
          {aside}
        </div>
      </div>
    </div>
  );
}
