import createFetchClient from "openapi-fetch";
import type { components, paths } from "#lib/api-schema.d.ts";
import { tokenSource } from "#lib/token-source.ts";

export const API_BASE = "/api/v1";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];

/** Timeout until the response headers arrive; the server itself gives up after 10 s. */
const RESPONSE_TIMEOUT_MS = 15_000;

/** Timeout of requests for which the server compares a whole file; it gives up after 50 s. */
const FILE_RESPONSE_TIMEOUT_MS = 75_000;

/** Paths without an access token; their 401 does not mean that the token has expired. */
const PUBLIC_PATHS =
  /\/(auth\/(login(\/second-factor|\/passkey-options)?|register|refresh|options|exchange|google\/link|forgot-password|reset-password|confirm-email)|analytics\/(session|tax\/shared(\/export)?))$/;

/** Sends a request; if it is a sensitive action, asks the user to authenticate again first and repeats the request. */
async function fetchWithReauthentication(request: Request): Promise<Response> {
  if (PUBLIC_PATHS.test(new URL(request.url).pathname)) return fetchWithTimeout(request);
  const retry = request.clone();
  const response = await fetchWithToken(request);
  if (response.status !== 403) return response;
  const { reauthenticateIfNeeded } = await import("#lib/reauthentication.ts");
  return (await reauthenticateIfNeeded(response)) ? fetchWithToken(retry) : response;
}

/** Sends a request with the access token; if another token may be accepted, renews it once and repeats the request. */
async function fetchWithToken(request: Request, timeoutMs = RESPONSE_TIMEOUT_MS): Promise<Response> {
  const retry = request.clone();
  const token = await tokenSource().freshToken();
  const response = await fetchWithTimeout(authorize(request, token), timeoutMs);
  if (!token || !(await mayNewTokenHelp(response))) return response;

  const renewed = await tokenSource().renew(token);
  return renewed ? fetchWithTimeout(authorize(retry, renewed), timeoutMs) : response;
}

/** Returns true if the token has expired, or was issued before the email address was confirmed, as on another device. */
export async function mayNewTokenHelp(response: Response): Promise<boolean> {
  if (response.status !== 409) return response.status === 401;
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return isProblem(problem) && problem.code === "too_many_unconfirmed_trades";
}

function authorize(request: Request, token: string): Request {
  if (token) request.headers.set("Authorization", `Bearer ${token}`);
  return request;
}

async function fetchWithTimeout(request: Request, timeoutMs = RESPONSE_TIMEOUT_MS): Promise<Response> {
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new DOMException("The server did not respond in time.", "TimeoutError")),
    timeoutMs,
  );
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, timeout.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns options for a request with another token than that of the session: `api.GET(…, withToken(token))`. */
export function withToken(token: string) {
  return {
    headers: { Authorization: `Bearer ${token}` },
    fetch: (request: Request) => fetchWithTimeout(request),
  };
}

/** Options for a request that takes the server as long as a file. */
export const withFileTimeout = {
  fetch: (request: Request) => fetchWithToken(request, FILE_RESPONSE_TIMEOUT_MS),
};

/** Client generated from openapi.yaml: `await api.POST("/auth/login", { body })` returns `{ data, error, response }`. */
export const api = createFetchClient<paths>({ baseUrl: API_BASE, fetch: fetchWithReauthentication });

/** Client for the careers API, outside `/api/v1` and without a session: `careersApi.GET("/api/job-description/{jobid}", …)`. */
export const careersApi = createFetchClient<paths>({
  baseUrl: "",
  fetch: (request) => fetchWithTimeout(request),
});

/** Returns the `Retry-After` header of a 429 or 503 response in seconds. */
export function retryAfter(response: Response): number | undefined {
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  return seconds > 0 ? seconds : undefined;
}

/** Returns true for an error response of the API (RFC 9457). */
export function isProblem(error: unknown): error is Problem {
  return (
    typeof error === "object" && error !== null && "code" in error && "status" in error && "detail" in error
  );
}
