/** Supplies the API clients with access tokens. The session sets it, because `lib` must not import a feature. */
export type TokenSource = {
  /** Returns a token that is valid for at least 30 seconds, renewed if needed; empty while logged out. */
  freshToken(): Promise<string>;
  /** Returns a new token after a 401 for `rejected`; empty if the session has ended. */
  renew(rejected: string): Promise<string>;
  /** Calls `listener` when another account logs in or the user logs out. Returns a function that ends this. */
  onAccountChange(listener: () => void): () => void;
};

let current: TokenSource = {
  freshToken: async () => "",
  renew: async () => "",
  onAccountChange: () => () => {},
};

export function setTokenSource(source: TokenSource): void {
  current = source;
}

export function tokenSource(): TokenSource {
  return current;
}
