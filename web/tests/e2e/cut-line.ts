import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * A line to the server, from `url` on, that tears when a connection has sent so many bytes, in the middle of a file,
 * until it is mended. Tears of one connection alone a browser may hide: it sends the request again.
 */
export async function cutLine(server: string, after: number) {
  const { hostname, port } = new URL(server);
  const open = new Set<Socket>();
  let mended = false;
  const line = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const end of [near, far]) {
      open.add(end);
      end.on("error", () => end.destroy());
      end.on("close", () => {
        open.delete(end);
        near.destroy();
        far.destroy();
      });
    }
    let sent = 0;
    near.on("data", (bytes) => {
      sent += bytes.length;
      if (mended || sent < after) far.write(bytes);
      else near.destroy();
    });
    far.pipe(near);
  }).listen(0, "127.0.0.1");
  await once(line, "listening");
  const address = line.address();
  if (!address || typeof address === "string") throw new Error("The line has no near end.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    mend() {
      mended = true;
    },
    close() {
      line.close();
      for (const end of open) end.destroy();
    },
  };
}
