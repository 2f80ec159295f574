import { crc32, deflateSync } from "node:zlib";

export type Picture = { name: string; mimeType: string; buffer: Buffer };

type Options = {
  width?: number;
  height?: number;
  /** Red, green and blue. */
  colour?: readonly [number, number, number];
  random?: boolean;
};

/** Returns a PNG picture of one colour, or of random pixels, which cannot be compressed. */
export function pngPicture(
  name: string,
  { width = 320, height = 200, colour = [51, 73, 154], random = false }: Options = {},
): Picture {
  const rows = Array.from({ length: height }, () => {
    const pixels = random
      ? crypto.getRandomValues(new Uint8Array(width * 3))
      : new Uint8Array(width * 3).map((_, index) => colour[index % 3] ?? 0);
    // Each row begins with its filter, which is none.
    return Buffer.concat([Buffer.of(0), pixels]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per channel, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  const buffer = Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return { name, mimeType: "image/png", buffer };
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
