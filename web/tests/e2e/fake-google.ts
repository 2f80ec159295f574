import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { platform } from "node:os";
import { text } from "node:stream/consumers";

/** What Google calls the server under test, and what shows that it is the one. */
export const CLIENT_ID = "tradebahi.apps.example";
export const CLIENT_SECRET = "a secret of the two";

/** The page on which one chooses an account: whoever is typed in is a Google account. */
const CHOICE = `<!doctype html>
<html lang="en">
  <title>Played Google</title>
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

/** What the one key is called. */
const KID = "one";

/** Who agreed, and to what. */
type Grant = { asked: URLSearchParams; person: URLSearchParams };

export type PlayedGoogle = { issuer: string; close(): Promise<void> };

/** Plays Google: a page to choose an account on, codes that are good once, and ID tokens signed with its key. */
export async function playGoogle(): Promise<PlayedGoogle> {
  // Another site than the server's, as Google is: cookies for one site alone stay behind on the way back. Elsewhere
  // than on Linux there is one loopback address only.
  const host = platform() === "linux" ? "127.0.0.2" : "127.0.0.1";
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  let issuer = "";

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: asked } = new URL(request.url ?? "/", issuer);
    const sent = new URLSearchParams(await text(request));
    switch (`${request.method} ${pathname}`) {
      case "GET /authorize":
        response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(CHOICE);
        return;
      case "POST /authorize":
        response.writeHead(303, { Location: wayBack(asked, sent, grants) }).end();
        return;
      case "POST /token": {
        const grant = redeem(sent, grants);
        if (grant)
          json(response, 200, { token_type: "Bearer", id_token: idToken(grant, issuer, privateKey) });
        else json(response, 400, { error: "invalid_grant" });
        return;
      }
      case "GET /keys":
        json(response, 200, {
          keys: [{ ...publicKey.export({ format: "jwk" }), kid: KID, alg: "RS256", use: "sig" }],
        });
        return;
      default:
        json(response, 404, { error: "not_found" });
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  }).listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("Nobody plays Google.");
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

/** Where the browser goes on: with a code, or with a no. */
function wayBack(asked: URLSearchParams, person: URLSearchParams, grants: Map<string, Grant>): string {
  const url = new URL(asked.get("redirect_uri") ?? "");
  url.searchParams.set("state", asked.get("state") ?? "");
  if (person.get("answer") === "no") {
    url.searchParams.set("error", "access_denied");
    return url.href;
  }
  const code = randomBytes(24).toString("base64url");
  grants.set(code, { asked, person });
  url.searchParams.set("code", code);
  return url.href;
}

/** A code is good once, for who began with it: the verifier is the one of the challenge. */
function redeem(sent: URLSearchParams, grants: Map<string, Grant>): Grant | undefined {
  const code = sent.get("code") ?? "";
  const grant = grants.get(code);
  grants.delete(code);
  const challenge = createHash("sha256")
    .update(sent.get("code_verifier") ?? "")
    .digest("base64url");
  const right =
    sent.get("grant_type") === "authorization_code" &&
    sent.get("client_id") === CLIENT_ID &&
    sent.get("client_secret") === CLIENT_SECRET &&
    grant?.asked.get("client_id") === CLIENT_ID &&
    grant.asked.get("redirect_uri") === sent.get("redirect_uri") &&
    grant.asked.get("code_challenge_method") === "S256" &&
    grant.asked.get("code_challenge") === challenge;
  return right ? grant : undefined;
}

function idToken({ asked, person }: Grant, issuer: string, key: KeyObject): string {
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
    nonce: asked.get("nonce"),
    iat: now,
    exp: now + 3600,
    name: person.get("name"),
    email,
    email_verified: person.has("verified"),
  };
  const body = [{ alg: "RS256", kid: KID, typ: "JWT" }, claims].map(part).join(".");
  return `${body}.${sign("sha256", Buffer.from(body), key).toString("base64url")}`;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
