import clsx from "clsx";
import { CircleAlert, FileSpreadsheet } from "lucide-react";
import { type ReactNode, type RefObject, useId } from "react";
import { FileButton } from "#ui/file-button.tsx";
import { useFileDrop } from "#ui/use-file-drop.ts";

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
  const choose = (files: File[]) => onFiles(files.slice(0, multiple ? undefined : 1));
  const { isOver, handlers } = useFileDrop(choose);

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
      <div
        {...handlers}
        className={clsx(
          "flex flex-wrap items-center gap-x-5 gap-y-3 rounded-panel border border-dashed p-5 transition-colors duration-120 ease-out",
          isOver
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
          <FileButton
            ref={ref}
            id={id}
            name={ownId}
            kinds={kinds}
            multiple={multiple}
            aria-describedby={error ? `${id}-error ${id}-shown` : `${id}-shown`}
            aria-invalid={error ? true : undefined}
            onFiles={choose}
          >
            {verb}
          </FileButton>
          {aside}
        </div>
      </div>
    </div>
  );
}
