type Clipboard = { types: readonly string[]; files: Iterable<File> };

/**
 * Returns the pictures of a paste. Spreadsheets and text editors put a picture of the copied text beside it; in a text
 * field, the text is pasted then.
 */
export function pastedPictures({ types, files }: Clipboard, isTextField: boolean): File[] {
  if (isTextField && types.includes("text/plain")) return [];
  return Array.from(files).filter(({ type }) => type.startsWith("image/"));
}
