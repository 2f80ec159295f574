import { plural } from "#lib/format.ts";

/** Files and those of archives, with messages about what was not added. */
type OpenedFiles = { files: File[]; messages: string[] };

/** Returns true for an archive. Sheets are archives, too, but are imported as they are. */
export function isArchive({ name }: Pick<File, "name">): boolean {
  return /\.zip$/i.test(name);
}

/** Replaces archives by their files, at most `maxFiles` in all. */
export async function openArchives(
  files: readonly File[],
  maxFiles: number,
  onProgress: (text: string) => void,
): Promise<OpenedFiles> {
  // Loaded with the first archive.
  const { ArchiveError, readArchive } = await import("#features/import/read-archive.ts");
  const opened: OpenedFiles = { files: [], messages: [] };
  for (const file of files) {
    if (!isArchive(file)) {
      opened.files.push(file);
      continue;
    }
    try {
      const room = Math.max(0, maxFiles - opened.files.length);
      const archive = await readArchive(file, room, (done, total) =>
        onProgress(`Opening ${file.name}: ${done} of ${plural(total, "file")}`),
      );
      opened.files.push(...archive.files);
      if (archive.omitted > 0)
        opened.messages.push(
          `${file.name}: ${plural(archive.omitted, "file was", "files were")} not added, because at most ${maxFiles} more are possible.`,
        );
      else if (archive.files.length === 0)
        opened.messages.push(`${file.name}: It has no XLSX, XLS, CSV or PDF file.`);
      else if (archive.skipped > 0)
        opened.messages.push(
          `${file.name}: ${plural(archive.skipped, "file of another kind was", "files of other kinds were")} not added.`,
        );
    } catch (error) {
      if (!(error instanceof ArchiveError)) console.warn("A ZIP file could not be read.", error);
      const text =
        error instanceof ArchiveError ? error.message : "The ZIP file cannot be read. Choose it again.";
      opened.messages.push(`${file.name}: ${text}`);
    }
  }
  return opened;
}
