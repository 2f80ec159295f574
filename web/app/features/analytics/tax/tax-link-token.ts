/** Secret of a link in the fragment of its address: 65 characters. A messenger may cut it off. */
const FRAGMENT = /^#([\w-]{65})(?![\w-])/;

/** Returns the token of a link to a tax pack; empty if the fragment has no whole one. */
export function parseTaxLinkToken(hash: string): string {
  return FRAGMENT.exec(hash)?.[1] ?? "";
}
