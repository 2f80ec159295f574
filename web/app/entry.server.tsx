import { text } from "node:stream/consumers";
import { prerenderToNodeStream } from "react-dom/static";
import { type EntryContext, ServerRouter } from "react-router";

/**
 * Renders a page at build time. It waits for all lazy components, so that the HTML is complete without scripts.
 */
export default async function writePage(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
): Promise<Response> {
  let failure: unknown;
  const { prelude } = await prerenderToNodeStream(<ServerRouter context={context} url={request.url} />, {
    // Prevents React from emitting parts out of order and moving them with an inline script.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
    onError(error) {
      failure ??= error;
    },
  });
  const html = await text(prelude);
  // A component that fails to render fails the build; it would be missing from the page.
  if (failure) throw failure;
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Response(html, { status, headers });
}
