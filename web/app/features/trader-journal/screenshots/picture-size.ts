/** Maximum size of an uploaded picture, the same as on the server. */
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;

/** Maximum width and height of a stored picture; the server makes larger ones smaller. */
const MAX_SIDE_PIXELS = 4_096;

export type PictureSize = { width: number; height: number };

/** Number of bytes at the beginning of a file that tell its type. */
export const TYPE_BYTES = 12;

/** Returns the media type of a picture by its first bytes; undefined for other files, such as HEIC. */
export function pictureType(head: Uint8Array): "image/png" | "image/jpeg" | "image/webp" | undefined {
  const text = String.fromCharCode(...head.slice(0, TYPE_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return text.startsWith("RIFF") && text.slice(8) === "WEBP" ? "image/webp" : undefined;
}

/** Returns true for a picture with too many bytes or pixels. */
export function needsShrinking(bytes: number, { width, height }: PictureSize): boolean {
  return bytes > MAX_UPLOAD_BYTES || Math.max(width, height) > MAX_SIDE_PIXELS;
}

/** Longest sides to try after that of the picture, in pixels. */
const SMALLER_SIDES_PIXELS = [3_072, 2_048, 1_024];

/** Returns the sizes to try in this order, as the bytes of a picture are known only when it is drawn. */
export function sizesToTry({ width, height }: PictureSize): PictureSize[] {
  const longest = Math.max(width, height);
  const sides = SMALLER_SIDES_PIXELS.filter((side) => side < longest);
  return [Math.min(longest, MAX_SIDE_PIXELS), ...sides].map((side) => ({
    width: Math.max(1, Math.round((width * side) / longest)),
    height: Math.max(1, Math.round((height * side) / longest)),
  }));
}
