/** Asks the user to authenticate again; resolves to true if they did. */
type Handler = () => Promise<boolean>;

let handler: Handler | undefined;
let pending: Promise<boolean> | undefined;

/** Sets the handler while a page with sensitive actions is open. Returns a function that removes it. */
export function onReauthenticationRequired(next: Handler): () => void {
  handler = next;
  return () => {
    if (handler === next) handler = undefined;
  };
}

/**
 * Asks the user to authenticate again if the server rejected a sensitive action for that reason. Asks once for all requests
 * that wait for it. Resolves to true if the action can be repeated.
 */
export async function reauthenticateIfNeeded(response: Response): Promise<boolean> {
  if (!handler || !(await needsReauthentication(response))) return false;
  pending ??= handler().finally(() => {
    pending = undefined;
  });
  return pending;
}

async function needsReauthentication(response: Response): Promise<boolean> {
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (
    typeof problem === "object" &&
    problem !== null &&
    "code" in problem &&
    problem.code === "reauthentication_required"
  );
}
