// Peer: the same reads in Express with node-postgres. `node express.mjs PORT`, with the database in PGHOST and PGUSER, the
// public key of tokens in JWT_KEY, the openings in OPENINGS and the built site in SITE.
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import express from "express";
import pg from "pg";

const pool = new pg.Pool({ max: 8, min: 2 });
const key = process.env.JWT_KEY ? createPublicKey(process.env.JWT_KEY) : undefined;
const app = express();
app.disable("x-powered-by");

/** Verifies the token as TradeBahi does, and sets the account of the request. */
function authenticate(request, response, next) {
  const token = request.get("authorization")?.replace(/^Bearer /, "") ?? "";
  const [head, body, signature = ""] = token.split(".");
  if (!verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url")))
    return response.status(401).end();
  const claims = JSON.parse(Buffer.from(body, "base64url"));
  if (claims.aud !== "api" || claims.exp < Date.now() / 1_000) return response.status(401).end();
  request.account = claims.sub;
  next();
}

app.get("/livez", (_request, response) => response.json({ status: "ok" }));

app.get("/readyz", async (_request, response) => {
  await pool.query("select 1");
  response.json({ status: "ok" });
});

// Checks the version first, so that an unchanged list gets a 304 without reading a row.
app.get("/trades/client", authenticate, async (request, response) => {
  const version = "select version from trades.account where account_id = $1";
  const { rows } = await pool.query({ name: "version", text: version, values: [request.account] });
  const tag = `"${rows[0].version}"`;
  response.set("etag", tag);
  if (request.get("if-none-match") === tag) return response.status(304).end();
  const text =
    "select trade_id, side, symbol, quantity, price, value, executed_at, broker_account as broker, segment, exchange " +
    "from trades.trade where account_id = $1 order by executed_at desc, trade_id desc limit $2";
  const limit = request.query.limit ? Number(request.query.limit) : null;
  const page = await pool.query({ name: "page", text, values: [request.account, limit] });
  response.json({ trades: page.rows });
});

const opening = process.env.OPENINGS && JSON.parse(readFileSync(join(process.env.OPENINGS, "FE101.json")));
app.get("/api/job-description/FE101", (_request, response) => response.json(opening));
if (process.env.SITE) app.use(express.static(process.env.SITE));

app.listen(Number(process.argv[2]), "127.0.0.1");
