import type { ListRequests, RequestResult } from "#features/trader-journal/screenshots/screenshot-list.ts";
import { api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";

export type ScreenshotSize = "thumbnail" | "full";

/** Loads a picture. An `img` element cannot, because the request needs the access token. */
export async function loadScreenshot(id: string, size: ScreenshotSize, signal: AbortSignal): Promise<Blob> {
  const { data, error } = await api.GET("/journal/screenshots/{id}", {
    params: { path: { id }, query: { size } },
    parseAs: "blob",
    signal,
  });
  if (!data) throw error ?? new Error("The server sent no picture.");
  return data;
}

export const screenshotRequests: ListRequests = {
  delete: (id) => settle(() => api.DELETE("/journal/screenshots/{id}", { params: { path: { id } } })),
  restore: (id) => settle(() => api.POST("/journal/screenshots/{id}/restore", { params: { path: { id } } })),
};

async function settle(send: () => Promise<{ error?: unknown; response: Response }>): Promise<RequestResult> {
  try {
    const { error, response } = await send();
    if (response.ok) return { kind: "done" };
    return { kind: "failed", message: failureMessage(response, error), isGone: response.status === 404 };
  } catch {
    return { kind: "failed", message: NO_ANSWER, isGone: false };
  }
}
