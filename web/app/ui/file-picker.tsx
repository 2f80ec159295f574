import type { ReactNode, RefObject } from "react";
import { fileSize } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { FileDrop } from "#ui/file-drop.tsx";

export type FilePickerProps = {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** File extensions for the `accept` attribute. */
  kinds: string;
  /** Allowed types and maximum size, as text. */
  hint: ReactNode;
  /** Id of the control and its name in the form; generated if absent. */
  id?: string;
  icon?: ReactNode;
  file: File | undefined;
  error: string | undefined;
  onChange: (file: File | undefined) => void;
};

/** Field for one file; shows its name and size. */
export function FilePicker({ hint, file, onChange, ...rest }: FilePickerProps) {
  return (
    <FileDrop
      {...rest}
      verb={file ? "Choose another file" : "Choose file"}
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
