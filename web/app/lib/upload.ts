import { API_BASE, mayNewTokenHelp } from "#lib/api.ts";
import { tokenSource } from "#lib/token-source.ts";

export type UploadOptions = {
  /** Called with the share of bytes sent, from 0 to 1. */
  onProgress?: (progress: number) => void;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** Timeout from the last byte sent to the response; the server gives up after 60 s. */
const RESPONSE_TIMEOUT_MS = 75_000;

/**
 * Sends a form with a file. Uses XMLHttpRequest, because fetch does not report upload progress, and resolves to an
 * ordinary `Response`. Rejects with `AbortError` after `signal`, with `TimeoutError`, or with `TypeError` if offline.
 */
export async function upload(
  path: `/${string}`,
  form: FormData,
  options: UploadOptions = {},
): Promise<Response> {
  const token = await tokenSource().freshToken();
  const response = await sendForm(API_BASE + path, form, authorize(token, options));
  if (!token || !(await mayNewTokenHelp(response))) return response;

  const renewed = await tokenSource().renew(token);
  return renewed ? sendForm(API_BASE + path, form, authorize(renewed, options)) : response;
}

function authorize(token: string, options: UploadOptions): UploadOptions {
  if (!token) return options;
  return { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } };
}

/** Sends a form without a session to an absolute path. */
export function sendForm(path: string, form: FormData, options: UploadOptions): Promise<Response> {
  const { onProgress, signal, headers = {} } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let timedOut = false;

    request.open("POST", path);
    request.responseType = "blob";
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);

    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress?.(loaded / total);
    };
    // A slow connection may upload without a time limit; the timeout starts when all bytes are sent.
    request.upload.onload = () => {
      onProgress?.(1);
      timer = setTimeout(() => {
        timedOut = true;
        request.abort();
      }, RESPONSE_TIMEOUT_MS);
    };
    request.onload = () => resolve(toResponse(request));
    request.onerror = () => reject(new TypeError("The connection was lost."));
    request.onabort = () =>
      reject(
        timedOut
          ? new DOMException("The server did not respond in time.", "TimeoutError")
          : new DOMException("Cancelled.", "AbortError"),
      );
    request.onloadend = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };

    signal?.addEventListener("abort", abort);
    request.send(form);
  });
}

function toResponse(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  // The constructor rejects a body with these statuses.
  const withoutBody = request.status === 204 || request.status === 304;
  const body: Blob | null = withoutBody ? null : request.response;
  return new Response(body, { status: request.status, statusText: request.statusText, headers });
}
