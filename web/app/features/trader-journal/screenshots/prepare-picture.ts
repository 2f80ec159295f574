import {
  MAX_UPLOAD_BYTES,
  needsShrinking,
  type PictureSize,
  pictureType,
  sizesToTry,
  TYPE_BYTES,
} from "#features/trader-journal/screenshots/picture-size.ts";
import type { PreparedPicture } from "#features/trader-journal/screenshots/upload-queue.ts";

const JPEG_QUALITY = 0.9;

const NOT_A_PICTURE = "This file is not a PNG, JPEG or WebP picture.";
const UNREADABLE = "This file cannot be read. Choose it again.";
const TOO_LARGE =
  "This picture is larger than 5 MB, and this browser cannot make it smaller. Choose a smaller one.";

/**
 * Checks a file, and draws a picture smaller that has too many bytes or pixels. A picture that the browser cannot decode
 * is sent as it is, if the server accepts its size.
 */
export async function preparePicture(file: File): Promise<PreparedPicture> {
  const head = await file
    .slice(0, TYPE_BYTES)
    .arrayBuffer()
    .catch(() => undefined);
  if (!head) return { kind: "rejected", message: UNREADABLE };
  if (!pictureType(new Uint8Array(head))) return { kind: "rejected", message: NOT_A_PICTURE };
  const picture = await shrink(file).catch((error: unknown) => {
    console.warn("The browser cannot decode a picture.", error);
    return undefined;
  });
  if (picture) return { kind: "ready", picture };
  return file.size <= MAX_UPLOAD_BYTES
    ? { kind: "ready", picture: file }
    : { kind: "rejected", message: TOO_LARGE };
}

/** Returns the file if it is small enough, or a smaller JPEG; undefined if no size is small enough. */
async function shrink(file: File): Promise<File | undefined> {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  try {
    if (!needsShrinking(file.size, bitmap)) return file;
    for (const size of sizesToTry(bitmap)) {
      const picture = await draw(bitmap, size);
      if (picture.size <= MAX_UPLOAD_BYTES)
        return new File([picture], `${file.name.replace(/\.\w+$/, "")}.jpg`, { type: "image/jpeg" });
    }
    return undefined;
  } finally {
    bitmap.close();
  }
}

async function draw(bitmap: ImageBitmap, { width, height }: PictureSize): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  // JPEG has no transparency.
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob({ type: "image/jpeg", quality: JPEG_QUALITY });
}
