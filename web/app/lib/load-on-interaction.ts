const EVENTS = ["scroll", "pointermove", "keydown", "click", "popstate"] as const;

let interaction: Promise<void> | undefined;

/** Resolves at the first scroll, pointer movement, key press or click on this page. */
function firstInteraction(): Promise<void> {
  interaction ??= new Promise((resolve) => {
    const done = () => {
      for (const name of EVENTS) window.removeEventListener(name, done, true);
      resolve();
    };
    for (const name of EVENTS) window.addEventListener(name, done, { capture: true, passive: true });
  });
  return interaction;
}

/** Returns true while the page that the server sent is open, before any navigation inside the app. */
function isInitialPage(): boolean {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation !== undefined && new URL(navigation.name).pathname === window.location.pathname;
}

/**
 * Wraps the loader of a `lazy` component below the fold. The prerendered HTML is usable without its script, so the
 * script loads at the first interaction; on a page reached by navigation inside the app it loads at once.
 */
export function loadOnInteraction<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    if (typeof window !== "undefined" && isInitialPage()) await firstInteraction();
    return load();
  };
}
