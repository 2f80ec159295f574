import createFetchClient from "openapi-fetch";
import type { components, paths } from "#lib/api-schema.d.ts";
import { authority } from "#lib/authority.ts";

export const API_BASE = "/api/v1";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];

/** To the first byte of the answer; the server itself gives up after 10 s. */
const PATIENCE = 15_000;

/** These take no token, and their 401 is an answer, not an expired one. */
const OPEN =
  /\/(auth\/(login|register|refresh|options|exchange|google\/link|forgot-password|reset-password|confirm-email)|analytics\/session)$/;

/** Carries the token; after a 401 renews it once and sends the same request again. Shows nothing, goes nowhere. */
async function send(request: Request): Promise<Response> {
  if (OPEN.test(new URL(request.url).pathname)) return withPatience(request);

  const again = request.clone();
  const token = await authority().freshToken();
  const response = await withPatience(bearing(request, token));
  if (response.status !== 401 || !token) return response;

  const renewed = await authority().renew(token);
  return renewed ? withPatience(bearing(again, renewed)) : response;
}

function bearing(request: Request, token: string): Request {
  if (token) request.headers.set("Authorization", `Bearer ${token}`);
  return request;
}

async function withPatience(request: Request): Promise<Response> {
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new DOMException("No answer in time.", "TimeoutError")),
    PATIENCE,
  );
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, timeout.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** For a request with a token of its own, which is not that of the session: `api.GET(…, withToken(token))`. */
export function withToken(token: string) {
  return { headers: { Authorization: `Bearer ${token}` }, fetch: withPatience };
}

/** The client made from openapi.yaml: `await api.POST("/auth/login", { body })` gives `{ data, error, response }`. */
export const api = createFetchClient<paths>({ baseUrl: API_BASE, fetch: send });

/** The careers calls stand beside `/api/v1` and know no session: `careersApi.GET("/api/job-description/{jobid}", …)`. */
export const careersApi = createFetchClient<paths>({ baseUrl: "", fetch: withPatience });

/** The wait that a 429 or 503 asks for, in seconds. */
export function retryAfter(response: Response): number | undefined {
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  return seconds > 0 ? seconds : undefined;
}

/** Whether an error that came from anywhere is a problem the server named. */
export function isProblem(error: unknown): error is Problem {
  return (
    typeof error === "object" && error !== null && "code" in error && "status" in error && "detail" in error
  );
}
