import { text } from "node:stream/consumers";
import { prerenderToNodeStream } from "react-dom/static";
import { type EntryContext, ServerRouter } from "react-router";

/**
 * Runs at build alone. A page is written when all of it is there, lazy parts too, each in its place: without any
 * script it reads as it looks.
 */
export default async function writePage(
  request: Request,
  status: number,
  headers: Headers,
  context: EntryContext,
): Promise<Response> {
  let failure: unknown;
  const { prelude } = await prerenderToNodeStream(<ServerRouter context={context} url={request.url} />, {
    // No part is set aside, to be moved into its place by an inline script.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
    onError(error) {
      failure ??= error;
    },
  });
  const html = await text(prelude);
  // A part that cannot be drawn ends the build; it would be missing from the page.
  if (failure) throw failure;
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Response(html, { status, headers });
}
