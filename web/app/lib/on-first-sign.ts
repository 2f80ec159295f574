const SIGNS = ["scroll", "pointermove", "keydown", "click", "popstate"] as const;

let sign: Promise<void> | undefined;

/** When someone is there: the first scroll, move of the pointer, key or press on this page. */
function firstSign(): Promise<void> {
  sign ??= new Promise((seen) => {
    const done = () => {
      for (const name of SIGNS) window.removeEventListener(name, done, true);
      seen();
    };
    for (const name of SIGNS) window.addEventListener(name, done, { capture: true, passive: true });
  });
  return sign;
}

/** Whether the open page is the one that the server sent; to any other the app itself has gone on. */
function isAsSent(): boolean {
  const [sent] = performance.getEntriesByType("navigation");
  return sent !== undefined && new URL(sent.name).pathname === window.location.pathname;
}

/**
 * For `lazy`: a part below the fold that was built into the page, and reads and leads on without its script. That one
 * comes with the first sign of a reader; at once where the part is not in the page yet.
 */
export function onFirstSign<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    if (typeof window !== "undefined" && isAsSent()) await firstSign();
    return load();
  };
}
