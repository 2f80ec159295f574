export type User = { name: string; email: string };

export type Claims = {
  user: User;
  /** The `aud` claim; empty if absent. */
  audience: string;
  /** Seconds since 1970; undefined if the claim is absent. */
  issuedAt: number | undefined;
  expiresAt: number | undefined;
};

/**
 * Reads the claims of a token for display; it does not verify the signature, which the server does with every request.
 * Undefined if the token cannot be decoded or lacks the name or the email address.
 */
export function decodeToken(token: string): Claims | undefined {
  const payload = token.split(".")[1];
  if (!payload) return undefined;
  try {
    const claims: unknown = JSON.parse(utf8FromBase64Url(payload));
    if (typeof claims !== "object" || claims === null) return undefined;
    const name = text(claims, "name");
    const email = text(claims, "email");
    if (!name || !email) return undefined;
    return {
      user: { name, email },
      audience: text(claims, "aud"),
      issuedAt: seconds(claims, "iat"),
      expiresAt: seconds(claims, "exp"),
    };
  } catch {
    return undefined;
  }
}

function utf8FromBase64Url(encoded: string): string {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function text(claims: object, key: string): string {
  const value: unknown = Reflect.get(claims, key);
  return typeof value === "string" ? value.trim() : "";
}

function seconds(claims: object, key: string): number | undefined {
  const value: unknown = Reflect.get(claims, key);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
