//! `GET /account/export`: everything that is kept of an account, for its owner.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::State;
use axum::response::Response;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use http::Uri;
use rpc::trades::v1::ListChangesRequest;
use serde::Serialize;

use super::{Account, SignIn, list_sign_ins};
use crate::Shared;
use crate::analytics::{AdjustmentRecord, own_adjustments};
use crate::auth::Trader;
use crate::export::{as_csv, attached};
use crate::journal::own_entries;
use crate::layers::Compressible;
use crate::problem::Problem;
use crate::query;
use crate::record::{self, Broken, Unwritable};
use crate::trades::{self, read};

/// Changes that are asked for at once.
const CHANGES: i32 = 100;

pub(super) async fn export(State(app): State<Shared>, trader: Trader, uri: Uri) -> Result<Response, Problem> {
    let answer = if query::whole_account(&uri)? {
        trades::in_time(&app, as_json(&app, &trader)).await
    } else {
        trades::in_time(&app, as_csv(&app, &trader, None)).await
    };
    if answer.is_ok() {
        tracing::info!("account_exported");
    }
    answer
}

/// What comes before the long lists.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Top {
    account: Account,
    sign_ins: Vec<SignIn>,
    books: Vec<read::BookRecord>,
    adjustments: Vec<AdjustmentRecord>,
}

/// One document, whose long lists follow page by page.
async fn as_json(app: &Shared, trader: &Trader) -> Result<Response, Problem> {
    let (account, sign_ins, books, adjustments) = tokio::try_join!(
        trades::account(app, trader),
        list_sign_ins(app, trader),
        read::own_books(app, trader),
        own_adjustments(app, trader)
    )?;
    let top = Top { account: Account::try_from(account)?, sign_ins, books, adjustments };
    let mut top = serde_json::to_vec(&top).map_err(Unwritable::from)?;
    top.pop();
    top.extend_from_slice(b",\"changes\":[");
    let top = stream::once(async { Ok(Bytes::from(top)) });
    let journal = stream::once(async { Ok(Bytes::from_static(b"],\"journal\":[")) });
    let parts = top
        .chain(changes(app, trader).map_err(axum::Error::new))
        .chain(journal)
        .chain(own_entries(app, trader).map_err(axum::Error::new))
        .chain(all_trades(app, trader));
    let body = Body::from_stream(parts.inspect_err(|error| {
        tracing::error!(error = %rpc::failure::chain(error), "an export of an account ended in the middle");
    }));
    let mut response = attached(body, "application/json", "account", "json");
    response.extensions_mut().insert(Compressible);
    Ok(response)
}

/// The elements of the list of changes.
fn changes(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, Broken>> + use<> {
    let (app, trader) = (app.clone(), trader.clone());
    stream::try_unfold(Some(String::new()), move |cursor| {
        let (app, trader) = (app.clone(), trader.clone());
        async move {
            let Some(cursor) = cursor else { return Ok(None) };
            let first = cursor.is_empty();
            let asked = ListChangesRequest { book: None, limit: CHANGES, cursor };
            let page = read::page_of_changes(&app, &trader, asked).await.map_err(Broken::Page)?;
            let mut out = Vec::new();
            for (place, change) in page.changes.iter().enumerate() {
                if !first || place > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, change).map_err(Unwritable::from)?;
            }
            Ok(Some((out.into(), page.next_cursor)))
        }
    })
}

/// The end of the list before it, and the list of trades, which is opened only then.
fn all_trades(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, axum::Error>> + use<> {
    let (app, trader) = (app.clone(), trader.clone());
    let opened = async move {
        let (_, pages) =
            trades::list(&app, &trader, None).await.map_err(|problem| axum::Error::new(Broken::Page(problem)))?;
        let rest = record::streamed(b"]}".to_vec(), pages, app.settings.times.core);
        Ok::<BodyDataStream, axum::Error>(rest.into_data_stream())
    };
    stream::once(opened).try_flatten()
}
