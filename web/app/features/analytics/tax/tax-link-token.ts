/** Secret of a link in the fragment of its address. The fragment of the skip link is too short. */
const FRAGMENT = /^#([\w-]{20,100})/;

/** Returns the token of a link to a tax pack; empty if the fragment has none. */
export function parseTaxLinkToken(hash: string): string {
  return FRAGMENT.exec(hash)?.[1] ?? "";
}
