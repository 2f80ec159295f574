/** What `/login?google=CODE` says, where a sign-in with Google came to nothing. */
const OUTCOMES = {
  cancelled: "You went back from Google without signing in. Nothing has changed.",
  refused: "Google did not confirm this sign-in. Please try again.",
  unreachable: "Google could not be reached. Try again in a minute, or log in with your password.",
  unverified:
    "Google has not verified the email of that account. Verify it with Google, or sign up with a password.",
  closed: "This account is closed. Log in with its password to restore it.",
  expired: "This took too long, or was begun in another browser. Please try again.",
} as const;

export function googleOutcome(code: string): string {
  const known = Object.entries(OUTCOMES).find(([name]) => name === code);
  return known ? known[1] : OUTCOMES.refused;
}
