/** Second factors, by the names of the API. */
const METHODS = ["code", "passkey", "recoveryCode"] as const;

export type Method = (typeof METHODS)[number];

/** Texts of the link that switches to a method. */
export const METHOD_LINKS: Record<Method, string> = {
  code: "Use your authenticator app",
  passkey: "Use a passkey",
  recoveryCode: "Use a recovery code",
};

/** Returns the known methods in a list of names, in the order in which they are offered. */
export function knownMethods(names: readonly string[]): Method[] {
  return METHODS.filter((method) => names.includes(method));
}

/** Splits a key into groups of four, which are easier to copy by hand. */
export function groupsOfFour(key: string): string {
  return key.match(/.{1,4}/g)?.join(" ") ?? "";
}
