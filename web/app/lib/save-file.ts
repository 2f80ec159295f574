/** Delay before the object URL is released; the browser has started the download by then. */
const REVOKE_DELAY_MS = 10_000;

/** Downloads a file in the browser. */
export function saveFile(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_DELAY_MS);
}

/** Returns the file name of the `Content-Disposition` header: the last, which is in UTF-8 if there are two. */
export function attachmentName(response: Response): string | undefined {
  const header = response.headers.get("Content-Disposition") ?? "";
  const name = /filename(?:\*=UTF-8''|=")([^;"]+)"?$/.exec(header)?.[1];
  return name && decodeURIComponent(name);
}
