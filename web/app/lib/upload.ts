import { API_BASE } from "#lib/api.ts";
import { authority } from "#lib/authority.ts";

export type UploadOptions = {
  /** From 0 to 1, of the bytes that left. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** From the last byte that left: the server gives up after 60 s. */
const PATIENCE = 75_000;

/**
 * Sends a form with a file. By XMLHttpRequest, since fetch tells nothing of the bytes that left; the answer is an
 * ordinary `Response`. Rejects with `AbortError` after `signal`, `TimeoutError`, or `TypeError` without a network.
 */
export async function upload(
  path: `/${string}`,
  form: FormData,
  options: UploadOptions = {},
): Promise<Response> {
  const token = await authority().freshToken();
  const response = await sendForm(API_BASE + path, form, bearing(token, options));
  if (response.status !== 401 || !token) return response;

  const renewed = await authority().renew(token);
  return renewed ? sendForm(API_BASE + path, form, bearing(renewed, options)) : response;
}

function bearing(token: string, options: UploadOptions): UploadOptions {
  if (!token) return options;
  return { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } };
}

/** The same for who needs no session, to a whole path. */
export function sendForm(path: string, form: FormData, options: UploadOptions): Promise<Response> {
  const { onProgress, signal, headers = {} } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let late = false;

    request.open("POST", path);
    request.responseType = "blob";
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);

    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress?.(loaded / total);
    };
    // A slow line may send for as long as bytes move; only the answer is waited for with a limit.
    request.upload.onload = () => {
      onProgress?.(1);
      timer = setTimeout(() => {
        late = true;
        request.abort();
      }, PATIENCE);
    };
    request.onload = () => resolve(toResponse(request));
    request.onerror = () => reject(new TypeError("The connection was lost."));
    request.onabort = () =>
      reject(
        late
          ? new DOMException("No answer in time.", "TimeoutError")
          : new DOMException("Cancelled.", "AbortError"),
      );
    request.onloadend = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };

    signal?.addEventListener("abort", stop);
    request.send(form);
  });
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  // The constructor refuses a body beside these.
  const bare = request.status === 204 || request.status === 304;
  const body: Blob | null = bare ? null : request.response;
  return new Response(body, { status: request.status, statusText: request.statusText, headers });
}
