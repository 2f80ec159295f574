import { retryAfter } from "#lib/api.ts";

type Reply<T> = { data?: T; error?: unknown; response: Response };

/** Seconds to wait if the server does not say how long. */
const DEFAULT_WAIT = 2;

/**
 * Sends a request until it is not rejected by the rate limit, waiting as long as the server says, and returns its data.
 * Throws the problem of another rejection. For work of many requests, which may exceed the limit.
 */
export async function sendPatiently<T>(send: () => Promise<Reply<T>>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const { data, error, response } = await send();
    if (data) return data;
    const { status } = response;
    if (status !== 429) throw error || new Error(`unexpected response status ${status}`);
    await pause(retryAfter(response) ?? DEFAULT_WAIT, signal);
  }
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1_000);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
