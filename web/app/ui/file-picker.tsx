import type { ReactNode, RefObject } from "react";
import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { FileDrop } from "#ui/file-drop.tsx";

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

/** For one file: it stands in the place it was dropped on. */
export function FilePicker({ hint, file, onChange, ...rest }: FilePickerProps) {
  return (
    <FileDrop
      {...rest}
      verb={file ? "Choose another" : "Choose file"}
      onFiles={([chosen]) => onChange(chosen)}
      aside={
        file && (
          <Button
            variant="quiet"
            aria-label={`Remove ${file.name}`}
            onClick={() => {
              onChange(undefined);
              rest.ref.current?.focus();
            }}
          >
            Remove
          </Button>
        )
      }
    >
      {file ? (
        <p className="text-ui">
          <span className="block break-words font-semibold">{file.name}</span>
          <span className="figures text-data text-ink-2">{fileSize(file.size)}</span>
        </p>
      ) : (
        <p className="text-ink-2 text-ui">
          Drop the file here, or choose it.
          <span className="block text-data text-ink-3">{hint}</span>
        </p>
      )}
    </FileDrop>
  );
}
