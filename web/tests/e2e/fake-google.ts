import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { platform } from "node:os";
import { text } from "node:stream/consumers";

/** OAuth client of the server under test. */
export const CLIENT_ID = "tradebahi.apps.example";
export const CLIENT_SECRET = "a secret of the two";

/** Page for choosing a Google account; any name and email can be entered. */
const CONSENT_PAGE = `<!doctype html>
<html lang="en">
  <title>Fake Google</title>
  <link rel="icon" href="data:,">
  <h1>Choose an account</h1>
  <form method="post">
    <label>Name <input name="name"></label>
    <label>Email <input name="email"></label>
    <label><input type="checkbox" name="verified" checked> The email is verified</label>
    <button name="answer" value="yes">Agree</button>
    <button name="answer" value="no">Cancel</button>
  </form>
</html>`;

/** Id of the signing key. */
const KEY_ID = "one";

/** An authorization request and the person who granted it. */
type Grant = { request: URLSearchParams; person: URLSearchParams };

export type FakeGoogle = { issuer: string; close(): Promise<void> };

/** Starts a fake Google: a consent page, single-use codes, and ID tokens signed with its own key. */
export async function startFakeGoogle(): Promise<FakeGoogle> {
  // A different site than the server, like Google, so that SameSite cookies behave the same. Only Linux has a second
  // loopback address.
  const host = platform() === "linux" ? "127.0.0.2" : "127.0.0.1";
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  let issuer = "";

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    const sent = new URLSearchParams(await text(request));
    switch (`${request.method} ${pathname}`) {
      case "GET /authorize":
        response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(CONSENT_PAGE);
        return;
      case "POST /authorize":
        response.writeHead(303, { Location: callbackUrl(searchParams, sent, grants) }).end();
        return;
      case "POST /token": {
        const grant = redeem(sent, grants);
        if (grant)
          sendJson(response, 200, { token_type: "Bearer", id_token: idToken(grant, issuer, privateKey) });
        else sendJson(response, 400, { error: "invalid_grant" });
        return;
      }
      case "GET /keys":
        sendJson(response, 200, {
          keys: [{ ...publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256", use: "sig" }],
        });
        return;
      default:
        sendJson(response, 404, { error: "not_found" });
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  }).listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("The fake Google has no port.");
  issuer = `http://${host}:${address.port}`;

  return {
    issuer,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Returns the callback URL with a code, or with an error if the person refused. */
function callbackUrl(request: URLSearchParams, person: URLSearchParams, grants: Map<string, Grant>): string {
  const url = new URL(request.get("redirect_uri") ?? "");
  url.searchParams.set("state", request.get("state") ?? "");
  if (person.get("answer") === "no") {
    url.searchParams.set("error", "access_denied");
    return url.href;
  }
  const code = randomBytes(24).toString("base64url");
  grants.set(code, { request, person });
  url.searchParams.set("code", code);
  return url.href;
}

/** Redeems a code once; the PKCE verifier must match the challenge. */
function redeem(sent: URLSearchParams, grants: Map<string, Grant>): Grant | undefined {
  const code = sent.get("code") ?? "";
  const grant = grants.get(code);
  grants.delete(code);
  const challenge = createHash("sha256")
    .update(sent.get("code_verifier") ?? "")
    .digest("base64url");
  const valid =
    sent.get("grant_type") === "authorization_code" &&
    sent.get("client_id") === CLIENT_ID &&
    sent.get("client_secret") === CLIENT_SECRET &&
    grant?.request.get("client_id") === CLIENT_ID &&
    grant.request.get("redirect_uri") === sent.get("redirect_uri") &&
    grant.request.get("code_challenge_method") === "S256" &&
    grant.request.get("code_challenge") === challenge;
  return valid ? grant : undefined;
}

function idToken({ request, person }: Grant, issuer: string, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000);
  const email = person.get("email");
  const claims = {
    iss: issuer,
    aud: CLIENT_ID,
    azp: CLIENT_ID,
    sub: createHash("sha256")
      .update(email ?? "")
      .digest("hex")
      .slice(0, 21),
    nonce: request.get("nonce"),
    iat: now,
    exp: now + 3600,
    name: person.get("name"),
    email,
    email_verified: person.has("verified"),
  };
  const body = [{ alg: "RS256", kid: KEY_ID, typ: "JWT" }, claims].map(encodePart).join(".");
  return `${body}.${sign("sha256", Buffer.from(body), key).toString("base64url")}`;
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
