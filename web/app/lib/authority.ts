/**
 * Where the callers of the API get their token from. The session sets it; `lib` may not import a feature.
 */
export type Authority = {
  /** A token that is good for the next half minute, renewed first if need be; empty when signed out. */
  freshToken(): Promise<string>;
  /** After a 401: a token other than the refused one, or empty when the sign-in has ended. */
  renew(refused: string): Promise<string>;
};

let current: Authority = {
  freshToken: async () => "",
  renew: async () => "",
};

export function setAuthority(authority: Authority): void {
  current = authority;
}

export function authority(): Authority {
  return current;
}
