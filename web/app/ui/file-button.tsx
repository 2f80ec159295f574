import clsx from "clsx";
import { Upload } from "lucide-react";
import type { ComponentProps, ReactNode, RefObject } from "react";

type FileButtonProps = Pick<
  ComponentProps<"input">,
  "id" | "name" | "multiple" | "disabled" | "aria-label" | "aria-describedby" | "aria-invalid"
> & {
  ref: RefObject<HTMLInputElement | null>;
  /** File extensions or media types for the `accept` attribute. */
  kinds: string;
  icon?: ReactNode;
  /** Called with at least one file. */
  onFiles: (files: File[]) => void;
  /** Visible label. */
  children: ReactNode;
};

/** Button that opens the file chooser of the browser. */
export function FileButton({ ref, kinds, icon, onFiles, children, ...input }: FileButtonProps) {
  return (
    <div className="relative">
      <input
        {...input}
        ref={ref}
        type="file"
        accept={kinds}
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? []);
          if (files.length > 0) onFiles(files);
          // So that the same file can be chosen again after it was corrected.
          currentTarget.value = "";
        }}
        // Natively only Space opens the file chooser, and Enter submits the form.
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (!event.repeat) event.currentTarget.click();
        }}
        className="peer absolute inset-0 size-full cursor-pointer opacity-0 file:cursor-pointer disabled:cursor-default"
      />
      <span
        aria-hidden="true"
        className={clsx(
          "pointer-events-none inline-flex h-11 items-center gap-2 rounded-control border bg-surface px-5 font-semibold text-ui",
          "peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-focus-visible:outline-offset-2",
          input.disabled
            ? "border-line text-ink-3"
            : "border-line-strong peer-hover:border-brand peer-hover:text-brand",
        )}
      >
        {icon ?? <Upload size={17} aria-hidden />}
        {children}
      </span>
    </div>
  );
}
