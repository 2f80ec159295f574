"""Peer: the same work in FastAPI with the fastest usual libraries: uvloop, orjson, pandas with calamine, asyncpg with COPY.

Run as `uvicorn stack:app`, with the database in DSN, the public key of tokens in JWT_KEY, and the directory of resumes
in RESUMES.
"""

import os
import secrets
from contextlib import asynccontextmanager
from decimal import Decimal
from io import BytesIO
from zoneinfo import ZoneInfo

import argon2
import asyncpg
import jwt
import pandas
from fastapi import FastAPI, Form, HTTPException, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import ORJSONResponse

HEADER_ROW = 14
COLUMNS = ["account_id", "trade_id", "broker", "segment", "side", "symbol", "isin", "quantity", "price", "value"]
COLUMNS += ["executed_at", "time_precision", "exchange", "order_id", "source_key"]
SCHEMA = f"""
create schema if not exists peer;
create table if not exists peer.trade (
    account_id uuid not null, trade_id bigint not null, broker text not null, segment text not null,
    side text not null, symbol text not null, isin text, quantity numeric(20, 6) not null,
    price numeric(15, 4) not null, value numeric(20, 4) not null, executed_at timestamptz not null,
    time_precision text not null, exchange text not null, order_id text, source_key text collate "C",
    primary key (account_id, trade_id), unique (account_id, source_key, broker, segment)
);
create index if not exists peer_trade_time on peer.trade (account_id, executed_at, trade_id);
create table if not exists peer.application (id text primary key, email text not null, resume text not null);
create table if not exists peer.person (email text primary key, hash text not null);
create table if not exists peer.session (token text primary key, email text not null, began timestamptz default now());
"""
PAGE = f"""
select {", ".join(COLUMNS[1:])} from peer.trade where account_id = $1 order by executed_at desc, trade_id desc limit $2
"""
hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1, hash_len=32, salt_len=16)


@asynccontextmanager
async def lifespan(app):
    app.pool = await asyncpg.create_pool(os.environ["DSN"], min_size=2, max_size=8)
    await app.pool.execute(SCHEMA)
    yield
    await app.pool.close()


app = FastAPI(lifespan=lifespan, default_response_class=ORJSONResponse)


def authenticate(request: Request):
    """Verifies the token as TradeBahi does; returns its account id."""
    try:
        token = request.headers["authorization"].removeprefix("Bearer ")
        return jwt.decode(token, os.environ["JWT_KEY"], algorithms=["EdDSA"], audience="api")["sub"]
    except (KeyError, jwt.InvalidTokenError) as error:
        raise HTTPException(401) from error


@app.get("/livez")
async def live():
    return {"status": "ok"}


def read_tradebook(content):
    columns = {"Trade ID": str, "Order ID": str}
    frame = pandas.read_excel(BytesIO(content), engine="calamine", header=HEADER_ROW, dtype=columns)
    frame = frame.dropna(subset=["Symbol"])
    if not frame["Trade Type"].isin(["buy", "sell"]).all() or not (frame[["Quantity", "Price"]] > 0).all(axis=None):
        raise HTTPException(422)
    frame["Price"] = frame["Price"].round(2)
    frame["at"] = pandas.to_datetime(frame["Order Execution Time"]).dt.tz_localize(ZoneInfo("Asia/Kolkata"))
    frame["key"] = frame["Trade Date"].astype(str) + "|" + frame["Exchange"] + "|" + frame["Trade ID"] + "|" + frame["Trade Type"]
    return frame


def records(account_id, first, frame):
    columns = ["Trade Type", "Symbol", "ISIN", "Quantity", "Price", "at", "Exchange", "Order ID", "key"]
    for number, row in enumerate(zip(*(frame[column] for column in columns)), first):
        side, symbol, isin, quantity, price, at, exchange, order, key = row
        quantity, price = Decimal(str(quantity)), Decimal(str(price))
        yield (account_id, number, "zerodha", "equity", side, symbol, isin, quantity, price, quantity * price,
               at.to_pydatetime(), "second", exchange, order, key)


@app.post("/uploadexcel")
async def upload(request: Request, file: UploadFile, broker: str = Form(), tradetype: str = Form()):
    account_id = authenticate(request)
    frame = await run_in_threadpool(read_tradebook, await file.read())
    async with app.pool.acquire() as connection, connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", account_id)
        first = await connection.fetchval("select coalesce(max(trade_id), 0) + 1 from peer.trade where account_id = $1", account_id)
        await connection.execute("create temp table upload (like peer.trade) on commit drop")
        rows = await run_in_threadpool(lambda: list(records(account_id, first, frame)))
        await connection.copy_records_to_table("upload", records=rows, columns=COLUMNS)
        added = await connection.execute(f"insert into peer.trade ({', '.join(COLUMNS)}) select {', '.join(COLUMNS)} from upload on conflict do nothing")
    added = int(added.split()[-1])
    return {"added": added, "duplicates": len(rows) - added}


def trade_json(row):
    values = dict(row)
    for name in ("quantity", "price", "value"):
        values[name] = float(values[name])
    return values


@app.get("/trades/client")
async def trades(request: Request, limit: int | None = None):
    rows = await app.pool.fetch(PAGE, authenticate(request), limit)
    return ORJSONResponse({"trades": [trade_json(row) for row in rows]})


@app.post("/trades/add", status_code=201)
async def add(request: Request):
    account_id, body = authenticate(request), await request.json()
    async with app.pool.acquire() as connection, connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", account_id)
        first = await connection.fetchval("select coalesce(max(trade_id), 0) + 1 from peer.trade where account_id = $1", account_id)
        quantity, price = Decimal(str(body["quantity"])), Decimal(str(body["price"]))
        values = (account_id, first, "zerodha", "equity", body["type"], body["symbol"], None, quantity, price, quantity * price)
        at = pandas.Timestamp(body["timestamp"], tz="Asia/Kolkata").to_pydatetime()
        placeholders = ", ".join(f"${number}" for number in range(1, 16))
        statement = f"insert into peer.trade ({', '.join(COLUMNS)}) values ({placeholders})"
        await connection.execute(statement, *values, at, "minute", body["exchange"], None, None)
    return {"_id": first}


@app.post("/api/apply/{job}", status_code=201)
async def apply(job: str, resume: UploadFile, email: str = Form()):
    content, name = await resume.read(), secrets.token_hex(16)
    if not content.startswith(b"%PDF-") or b"%%EOF" not in content[-1024:]:
        raise HTTPException(422)

    def write():
        with open(os.path.join(os.environ["RESUMES"], name), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    await run_in_threadpool(write)
    await app.pool.execute("insert into peer.application (id, email, resume) values ($1, $2, $3)", name, email, job)
    return {"applicationId": name}


@app.post("/auth/register", status_code=201)
async def register(request: Request):
    body = await request.json()
    hashed = await run_in_threadpool(hasher.hash, body["password"])
    await app.pool.execute("insert into peer.person (email, hash) values ($1, $2)", body["email"], hashed)
    return {"success": True}


@app.post("/auth/login")
async def login(request: Request):
    body = await request.json()
    hashed = await app.pool.fetchval("select hash from peer.person where email = $1", body["email"])
    try:
        await run_in_threadpool(hasher.verify, hashed, body["password"])
    except argon2.exceptions.VerificationError as error:
        raise HTTPException(401) from error
    token = secrets.token_urlsafe(32)
    await app.pool.execute("insert into peer.session (token, email) values ($1, $2)", token, body["email"])
    return {"success": True, "data": {"token": token}}
