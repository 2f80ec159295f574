import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * Starts a TCP proxy that closes every connection after `maxBytes` from the client, in the middle of an upload, until
 * `repair` is called. It must close all connections, because browsers repeat a request after a single failure.
 */
export async function startInterruptingProxy(server: string, maxBytes: number) {
  const { hostname, port } = new URL(server);
  const open = new Set<Socket>();
  let repaired = false;
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const end of [client, upstream]) {
      open.add(end);
      end.on("error", () => end.destroy());
      end.on("close", () => {
        open.delete(end);
        client.destroy();
        upstream.destroy();
      });
    }
    let sent = 0;
    client.on("data", (bytes) => {
      sent += bytes.length;
      if (repaired || sent < maxBytes) upstream.write(bytes);
      else client.destroy();
    });
    upstream.pipe(client);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (!address || typeof address === "string") throw new Error("The proxy has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    repair() {
      repaired = true;
    },
    close() {
      proxy.close();
      for (const end of open) end.destroy();
    },
  };
}
