/** Returns true if the browser can use passkeys with options from JSON. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** Creates a passkey. Returns the response for the server as JSON text; undefined if the user cancelled. */
export async function createPasskey(options: object): Promise<string | undefined> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  return toText(() => navigator.credentials.create({ publicKey }));
}

/** Proves a passkey. Returns the response for the server as JSON text; undefined if the user cancelled. */
export async function provePasskey(options: object): Promise<string | undefined> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  return toText(() => navigator.credentials.get({ publicKey }));
}

async function toText(request: () => Promise<Credential | null>): Promise<string | undefined> {
  try {
    const credential = await request();
    return credential instanceof PublicKeyCredential ? JSON.stringify(credential.toJSON()) : undefined;
  } catch (error) {
    // Cancelled, timed out, or the passkey was already added.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
