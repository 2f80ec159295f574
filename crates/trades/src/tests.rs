//! The trades service through its client, on a real Postgres.

mod account_deletion;
mod add;
mod broker_accounts;
mod change_history;
mod column_mappings;
mod contract_notes;
mod contracts;
mod disconnects;
mod edit;
mod idempotency;
mod imports;
mod ledgers;
mod model;
mod previews;
mod reading;
mod replace;
mod search;
mod stop_losses;
mod trade_limit;
mod undo;
mod write_queue;

use std::time::Duration;

use db::ReadPool;
use futures_util::StreamExt;
use rpc::caller::{Caller, Trader};
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::trades_service_server::TradesServiceServer;
use rpc::trades::v1::{
    self as wire, import_trades_request as import_part, replace_trades_request as replace_part,
    stream_trades_response as list_part,
};
use rpc::transport::{Transport, local};
use sqlx::PgPool;
use tonic::service::interceptor::InterceptedService;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::Pools;
use crate::service::StreamLimits;

type Client = TradesServiceClient<Transport>;

/// Returns a client that calls as the account.
fn client_as(pool: &PgPool, account_id: Uuid) -> Client {
    client_with_limits(pool, account_id, StreamLimits::default())
}

/// Returns the pools of a server that uses `pool`.
fn pools(pool: &PgPool) -> Pools {
    let reads = ReadPool::new(pool.connect_options().as_ref().clone(), 4);
    Pools { requests: pool.clone(), reads, imports: pool.clone() }
}

fn client_with_limits(pool: &PgPool, account_id: Uuid, limits: StreamLimits) -> Client {
    client_of(crate::server_with_limits(pools(pool), limits), account_id)
}

/// Returns a client of `server` that calls as the account.
fn client_of(server: TradesServiceServer<crate::grpc::Trades>, account_id: Uuid) -> Client {
    client_with_token(server, account_id, true)
}

/// Returns a client that calls as the account with a token that says whether the email address is confirmed.
fn client_with_token(
    server: TradesServiceServer<crate::grpc::Trades>,
    account_id: Uuid,
    email_confirmed: bool,
) -> Client {
    let caller = Caller::from(Trader {
        account_id,
        session_id: Uuid::nil(),
        name: "Asha Rao".to_owned(),
        email: "asha@example.in".to_owned(),
        email_confirmed,
    });
    TradesServiceClient::new(local(InterceptedService::new(server, move |mut request: Request<()>| {
        request.extensions_mut().insert(caller.clone());
        Ok(request)
    })))
}

const ZERODHA_EQUITY: wire::Book =
    wire::Book { broker: wire::Broker::Zerodha as i32, segment: wire::Segment::Equity as i32, broker_account: 0 };
const ZERODHA_FNO: wire::Book =
    wire::Book { broker: wire::Broker::Zerodha as i32, segment: wire::Segment::Fno as i32, broker_account: 0 };
const GROWW_EQUITY: wire::Book =
    wire::Book { broker: wire::Broker::Groww as i32, segment: wire::Segment::Equity as i32, broker_account: 0 };

/// Returns the `n`th fill of a generated file: one per minute, three symbols, repeating prices.
fn fill(n: i64) -> wire::ImportedTrade {
    wire::ImportedTrade {
        side: if n % 2 == 0 { wire::Side::Buy.into() } else { wire::Side::Sell.into() },
        symbol: ["INFY", "M&M", "tatasteel"][usize::try_from(n % 3).unwrap()].to_owned(),
        isin: String::new(),
        quantity: (n % 7 + 1).to_string(),
        price: format!("{}.05", n % 11 + 1),
        value: String::new(),
        executed_at: Some(prost_types::Timestamp { seconds: 1_750_000_000 + n * 60, nanos: 0 }),
        time_precision: wire::TimePrecision::Second.into(),
        exchange: wire::Exchange::Nse.into(),
        order_id: "1100000000000001".to_owned(),
        source_key: format!("2025-06-15/NSE/EQ/{n}"),
        contract: None,
        row: 0,
        series: String::new(),
        auction: false,
    }
}

fn import_head(book: wire::Book) -> import_part::Part {
    import_part::Part::Head(wire::ImportHead {
        client_code: String::new(),
        holder: String::new(),
        idempotency_key: String::new(),
        book: Some(book),
        file_name: "tradebook.xlsx".to_owned(),
        file_sha256: vec![7; 32],
        format: "zerodha-tradebook".to_owned(),
    })
}

fn import_batch(trades: Vec<wire::ImportedTrade>) -> import_part::Part {
    import_part::Part::Batch(wire::ImportBatch { trades })
}

fn import_end(trades: i64) -> import_part::Part {
    import_part::Part::End(wire::ImportEnd { trades, issues: None, notes: Vec::new() })
}

async fn send_import(client: &mut Client, parts: Vec<import_part::Part>) -> Result<wire::ImportTradesResponse, Status> {
    let messages = parts.into_iter().map(|part| wire::ImportTradesRequest { part: Some(part) });
    Ok(client.import_trades(tokio_stream::iter(messages)).await?.into_inner())
}

/// Imports fills as one file, in batches of 2,000.
async fn import(client: &mut Client, book: wire::Book, fills: &[wire::ImportedTrade]) -> wire::ImportTradesResponse {
    let mut parts = vec![import_head(book)];
    parts.extend(fills.chunks(2_000).map(|chunk| import_batch(chunk.to_vec())));
    parts.push(import_end(i64::try_from(fills.len()).unwrap()));
    send_import(client, parts).await.unwrap()
}

/// Previews the import of fills as one file.
async fn preview(client: &mut Client, book: wire::Book, fills: &[wire::ImportedTrade]) -> wire::Preview {
    preview_with(client, book, fills, wire::FileIssues::default()).await
}

async fn preview_with(
    client: &mut Client,
    book: wire::Book,
    fills: &[wire::ImportedTrade],
    issues: wire::FileIssues,
) -> wire::Preview {
    use wire::preview_trades_request::Part;
    let import_part::Part::Head(head) = import_head(book) else { unreachable!() };
    let mut parts = vec![Part::Head(head)];
    parts.extend(fills.chunks(2_000).map(|chunk| Part::Batch(wire::ImportBatch { trades: chunk.to_vec() })));
    let trades = i64::try_from(fills.len()).unwrap();
    parts.push(Part::End(wire::ImportEnd { trades, issues: Some(issues), notes: Vec::new() }));
    let messages = parts.into_iter().map(|part| wire::PreviewTradesRequest { part: Some(part) });
    client.preview_trades(tokio_stream::iter(messages)).await.unwrap().into_inner().preview.unwrap()
}

/// Commits a preview; the inner error is the current preview of an outdated one.
async fn commit(
    client: &mut Client,
    request: wire::CommitPreviewRequest,
) -> Result<Result<wire::CommittedPreview, Box<wire::Preview>>, Status> {
    use wire::commit_preview_response::Outcome;
    Ok(match client.commit_preview(request).await?.into_inner().outcome.unwrap() {
        Outcome::Committed(committed) => Ok(committed),
        Outcome::Changed(preview) => Err(Box::new(preview)),
    })
}

/// Returns the request to commit `preview` with one resolution for all conflicts.
fn commit_request(preview: &wire::Preview, default_resolution: wire::Resolution) -> wire::CommitPreviewRequest {
    wire::CommitPreviewRequest {
        preview_id: preview.id.clone(),
        state: preview.state.clone(),
        choices: Vec::new(),
        default_resolution: default_resolution.into(),
        broker_account: 0,
    }
}

fn fills(range: std::ops::Range<i64>) -> Vec<wire::ImportedTrade> {
    range.map(fill).collect()
}

async fn list(client: &mut Client, known_version: Option<i64>) -> (wire::TradesHead, Vec<wire::Trade>) {
    let mut stream = client
        .stream_trades(wire::StreamTradesRequest { known_version, with_source_keys: true })
        .await
        .unwrap()
        .into_inner();
    let Some(list_part::Part::Head(head)) = stream.next().await.unwrap().unwrap().part else { panic!("no head") };
    let mut trades = Vec::new();
    while let Some(message) = stream.next().await {
        match message.unwrap().part {
            Some(list_part::Part::Page(page)) => trades.extend(page.trades),
            other => panic!("unexpected {other:?}"),
        }
    }
    (head, trades)
}

async fn list_changed(client: &mut Client, since: i64) -> wire::ListChangedTradesResponse {
    client.list_changed_trades(wire::ListChangedTradesRequest { since }).await.unwrap().into_inner()
}

fn is_newest_first(trades: &[wire::Trade]) -> bool {
    let keys = trades.iter().map(|t| (t.executed_at.map(|at| at.seconds), t.id));
    keys.clone().zip(keys.skip(1)).all(|(newer, older)| newer > older)
}

fn page_of(page_size: i32) -> wire::ListTradesRequest {
    wire::ListTradesRequest { page_size, ..Default::default() }
}

async fn query(client: &mut Client, request: wire::ListTradesRequest) -> wire::ListTradesResponse {
    client.list_trades(request).await.unwrap().into_inner()
}

/// Returns the first invalid field.
#[track_caller]
fn field_of(status: &Status) -> String {
    invalid_fields(status).remove(0).0
}

/// Returns the invalid fields with their reason codes. Each must have a complete text.
#[track_caller]
fn invalid_fields(status: &Status) -> Vec<(String, String)> {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = tonic_types::StatusExt::get_error_details(status);
    let params = &details.error_info().unwrap().metadata;
    let violations = &details.bad_request().unwrap().field_violations;
    let check = |violation: &tonic_types::FieldViolation| {
        let text = texts::field_error("trades", &violation.field, &violation.reason, params);
        assert!(text.is_some_and(|text| !text.contains('…')), "{violation:?}");
        (violation.field.clone(), violation.reason.clone())
    };
    violations.iter().map(check).collect()
}

/// Returns the reason code of an error.
#[track_caller]
fn reason_of(status: &Status) -> String {
    tonic_types::StatusExt::get_details_error_info(status).unwrap().reason
}

/// Returns the `n`th generated manual trade.
fn manual_trade(n: i64) -> wire::NewTrade {
    wire::NewTrade {
        side: if n % 2 == 0 { wire::Side::Buy.into() } else { wire::Side::Sell.into() },
        symbol: ["SBIN", "ITC", "LT"][usize::try_from(n.rem_euclid(3)).unwrap()].to_owned(),
        quantity: (n % 9 + 1).to_string(),
        price: format!("{}.5", n % 13 + 1),
        executed_at: Some(prost_types::Timestamp { seconds: 1_751_000_040 + n * 60, nanos: 0 }),
        exchange: wire::Exchange::Nse.into(),
        notes: None,
        pair_id: String::new(),
    }
}

async fn add_with_key(
    client: &mut Client,
    book: wire::Book,
    trade: wire::NewTrade,
    key: &str,
) -> Result<wire::AddTradeResponse, Status> {
    let request = wire::AddTradeRequest { book: Some(book), trade: Some(trade), idempotency_key: key.to_owned() };
    Ok(client.add_trade(request).await?.into_inner())
}

async fn add(client: &mut Client, book: wire::Book, trade: wire::NewTrade) -> wire::AddTradeResponse {
    add_with_key(client, book, trade, "").await.unwrap()
}

/// Returns the parts of a replacement, in batches of 2,000.
fn replace_parts(book: wire::Book, trades: &[wire::NewTrade], key: &str) -> Vec<replace_part::Part> {
    let head = wire::ReplaceHead { book: Some(book), idempotency_key: key.to_owned() };
    let mut parts = vec![replace_part::Part::Head(head)];
    let batch = |chunk: &[wire::NewTrade]| replace_part::Part::Batch(wire::ReplaceBatch { trades: chunk.to_vec() });
    parts.extend(trades.chunks(2_000).map(batch));
    parts.push(replace_part::Part::End(wire::ReplaceEnd { trades: i64::try_from(trades.len()).unwrap() }));
    parts
}

async fn send_replace(
    client: &mut Client,
    parts: Vec<replace_part::Part>,
) -> Result<wire::ReplaceTradesResponse, Status> {
    let messages = parts.into_iter().map(|part| wire::ReplaceTradesRequest { part: Some(part) });
    Ok(client.replace_trades(tokio_stream::iter(messages)).await?.into_inner())
}

async fn replace(client: &mut Client, book: wire::Book, trades: &[wire::NewTrade]) -> wire::ReplaceTradesResponse {
    send_replace(client, replace_parts(book, trades, "")).await.unwrap()
}

/// Returns the request to set the fields at `paths` to those of `trade`.
fn update_request(trade: wire::Trade, paths: &[&str]) -> wire::UpdateTradeRequest {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    wire::UpdateTradeRequest { trade: Some(trade), update_mask: Some(prost_types::FieldMask { paths }) }
}

async fn update(client: &mut Client, trade: wire::Trade, paths: &[&str]) -> Result<wire::UpdateTradeResponse, Status> {
    Ok(client.update_trade(update_request(trade, paths)).await?.into_inner())
}

/// Sets every field of a trade but its notes.
async fn edit(client: &mut Client, id: i64, new: wire::NewTrade) -> Result<wire::UpdateTradeResponse, Status> {
    let wire::NewTrade { side, symbol, quantity, price, executed_at, exchange, .. } = new;
    let trade = wire::Trade { id, side, symbol, quantity, price, executed_at, exchange, ..wire::Trade::default() };
    update(client, trade, &["side", "symbol", "quantity", "price", "executed_at", "exchange"]).await
}

async fn delete(client: &mut Client, id: i64, pair: bool) -> Result<wire::DeleteTradeResponse, Status> {
    Ok(client.delete_trade(wire::DeleteTradeRequest { id, pair }).await?.into_inner())
}

async fn undo(client: &mut Client, change_id: i64, newer: i64) -> Result<wire::UndoChangeResponse, Status> {
    let request = wire::UndoChangeRequest { change_id, expected_newer_changes: newer };
    Ok(client.undo_change(request).await?.into_inner())
}

async fn changes(client: &mut Client) -> Vec<wire::Change> {
    let request = wire::ListChangesRequest { book: None, page_size: 100, page_token: String::new() };
    client.list_changes(request).await.unwrap().into_inner().changes
}

/// Returns the books with their stored numbers of trades.
async fn books(client: &mut Client) -> Vec<(wire::Book, i64)> {
    let books = client.list_books(wire::ListBooksRequest {}).await.unwrap().into_inner().books;
    books.into_iter().map(|book| (book.book.unwrap(), book.trades)).collect()
}
