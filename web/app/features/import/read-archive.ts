import { Inflate } from "fflate";
import { compareByDay } from "#features/import/file-order.ts";
import { checkTradeFile } from "#lib/sheet-file.ts";

/** Size of an archive in bytes. */
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;
/** Size in bytes of the files in an archive; the server accepts 500 MiB of an account per day. */
const MAX_EXPANDED_BYTES = 256 * 1024 * 1024;
/** Size in bytes of the list of files at the end of an archive. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** Files and folders in an archive. */
const MAX_ENTRIES = 5_000;
/** Maximum ratio of a file to its packed bytes. CSV files reach 20, and an archive that is built to harm 1,000. */
const MAX_RATIO = 200;
/** Size of files in bytes whose ratio is not checked. */
const SMALL_FILE_BYTES = 1024 * 1024;
/** Packed bytes that are expanded without a pause, to at most some 16 MB. */
const CHUNK_BYTES = 16 * 1024;

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;

const EXTRACT = "Extract it, and drop its files here.";
const DAMAGED = "The ZIP file is damaged. Download it again.";

/** Reason why an archive is not opened, as a sentence for the trader. */
export class ArchiveError extends Error {}

/** File in the list of an archive. */
type Entry = {
  name: string;
  isEncrypted: boolean;
  method: number;
  packedSize: number;
  size: number;
  /** First byte of its header. */
  offset: number;
};

export type Archive = {
  files: File[];
  /** Number of files that are not of a supported kind, or above a limit. */
  skipped: number;
  /** Number of supported files beyond the limit of the caller. */
  omitted: number;
};

/**
 * Reads the supported files in a ZIP file, at most `maxFiles`, in the order of their days and names. Folders, hidden files
 * and archives in it are skipped. Holds the bytes of one file at a time; the browser stores the others.
 */
export async function readArchive(
  archive: File,
  maxFiles: number,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Archive> {
  if (archive.size > MAX_ARCHIVE_BYTES)
    throw new ArchiveError(`The ZIP file is larger than 256 MiB. ${EXTRACT}`);
  const listed = (await listEntries(archive)).filter(({ name }) => !isHidden(name));
  const supported = listed.filter(
    (entry) => !checkTradeFile({ name: baseName(entry.name), size: entry.size }),
  );
  const entries = supported
    .toSorted((a, b) => compareByDay(baseName(a.name), baseName(b.name)) || compareByDay(a.name, b.name))
    .slice(0, maxFiles);
  checkEntries(entries);
  const files: File[] = [];
  for (const entry of entries) {
    onProgress(files.length, entries.length);
    const content = await readEntry(archive, entry);
    files.push(new File([content], baseName(entry.name), { lastModified: archive.lastModified }));
  }
  return {
    files,
    skipped: listed.length - supported.length,
    omitted: supported.length - entries.length,
  };
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Returns true for folders, hidden files, and the files that macOS adds. */
function isHidden(path: string): boolean {
  return (
    /[/\\]$/.test(path) || path.split(/[/\\]/).some((part) => part.startsWith(".") || part === "__MACOSX")
  );
}

function checkEntries(entries: readonly Entry[]): void {
  if (entries.some(({ isEncrypted }) => isEncrypted))
    throw new ArchiveError(
      `The ZIP file has a password. ${EXTRACT} If the files have one, too, the page asks for it.`,
    );
  const isTooDense = ({ size, packedSize }: Entry) =>
    size > SMALL_FILE_BYTES && size > packedSize * MAX_RATIO;
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_EXPANDED_BYTES || entries.some(isTooDense))
    throw new ArchiveError(
      `The files in the ZIP file are too large: more than 256 MiB, or hardly any content. ${EXTRACT}`,
    );
  if (entries.some(({ method }) => method !== 0 && method !== 8))
    throw new ArchiveError(`The ZIP file is packed in a way that is not supported. ${EXTRACT}`);
}

/** Reads the list of files at the end of an archive. */
async function listEntries(archive: File): Promise<Entry[]> {
  const tail = await view(archive, Math.max(0, archive.size - END_BYTES - MAX_COMMENT_BYTES), archive.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw new ArchiveError(DAMAGED);
  const count = tail.getUint16(end + 10, true);
  const length = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  if (count > MAX_ENTRIES || length > MAX_LIST_BYTES)
    throw new ArchiveError(`The ZIP file has too many files. ${EXTRACT}`);
  const list = await view(archive, start, start + length);
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (at + ENTRY_BYTES > list.byteLength || list.getUint32(at, true) !== ENTRY_SIGNATURE)
      throw new ArchiveError(DAMAGED);
    const nameBytes = list.getUint16(at + 28, true);
    if (at + ENTRY_BYTES + nameBytes > list.byteLength) throw new ArchiveError(DAMAGED);
    const name = new Uint8Array(list.buffer, list.byteOffset + at + ENTRY_BYTES, nameBytes);
    entries.push({
      name: new TextDecoder().decode(name),
      isEncrypted: (list.getUint16(at + 8, true) & 1) === 1,
      method: list.getUint16(at + 10, true),
      packedSize: list.getUint32(at + 20, true),
      size: list.getUint32(at + 24, true),
      offset: list.getUint32(at + 42, true),
    });
    at += ENTRY_BYTES + nameBytes + list.getUint16(at + 30, true) + list.getUint16(at + 32, true);
  }
  return entries;
}

async function view(archive: Blob, start: number, end: number): Promise<DataView> {
  return new DataView(await archive.slice(start, end).arrayBuffer());
}

async function readEntry(archive: File, { offset, packedSize, size, method }: Entry): Promise<Blob> {
  const header = await view(archive, offset, offset + LOCAL_BYTES);
  if (header.byteLength < LOCAL_BYTES || header.getUint32(0, true) !== LOCAL_SIGNATURE)
    throw new ArchiveError(DAMAGED);
  const start = offset + LOCAL_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = archive.slice(start, start + packedSize);
  const content = method === 0 ? packed : await expand(packed, size);
  if (packed.size !== packedSize || content.size !== size) throw new ArchiveError(DAMAGED);
  return content;
}

/** Expands packed bytes, and stops as soon as they are more than the stated size. */
async function expand(packed: Blob, size: number): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let expanded = 0;
  const inflate = new Inflate((part) => {
    expanded += part.length;
    if (expanded > size) throw new ArchiveError(DAMAGED);
    parts.push(new Uint8Array(part));
  });
  try {
    for (let at = 0; at < packed.size; at += CHUNK_BYTES) {
      const chunk = new Uint8Array(await packed.slice(at, at + CHUNK_BYTES).arrayBuffer());
      inflate.push(chunk, at + CHUNK_BYTES >= packed.size);
    }
  } catch {
    throw new ArchiveError(DAMAGED);
  }
  return new Blob(parts);
}
