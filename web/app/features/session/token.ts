export type User = { name: string; email: string };

export type Claims = {
  user: User;
  /** What it is good for; empty where it does not say. */
  audience: string;
  /** Seconds since 1970; absent in a token that does not say. */
  issuedAt: number | undefined;
  expiresAt: number | undefined;
};

/**
 * Reads what a token says about its owner. Nothing is verified here: the server does that with every request;
 * this is for the screen alone. Undefined when it does not decode or lacks the name or the e-mail.
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
