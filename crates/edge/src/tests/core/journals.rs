//! Fake journal service.

use prost_types::Timestamp;
use rpc::failure::{Kind as Failed, to_status};
use rpc::journals::v1::journal_service_server::JournalService;
use rpc::journals::v1::*;
use tonic::{Request, Response, Status};

use super::Core;
use crate::tests::auth::Refusal;

/// Requests that the journal service received.
#[derive(Default)]
pub struct JournalRequests {
    pub listed: Vec<ListEntriesRequest>,
    pub added: Vec<AddEntryRequest>,
    pub taken_over: Vec<TakeOverRequest>,
}

/// Only valid journal key.
pub const VALID_KEY: &str = "the-key-of-a-journal";
/// Key of every new journal.
pub const NEW_KEY: &str = "the-key-of-a-new-one";

fn no_journal() -> Status {
    to_status(&Refusal(Failed::NotFound, "NO_JOURNAL"))
}

fn entry(id: i64) -> Entry {
    let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
    let entry = NewEntry {
        kind: Kind::Intraday.into(),
        symbol: "M&M \"X\"".to_owned(),
        quantity: "0.5".to_owned(),
        buy_price: "83.1225".to_owned(),
        sell_price: "83".to_owned(),
        target_price: "99999999999.9999".to_owned(),
        stop_loss: "80".to_owned(),
        bought_at: at(1_774_981_800),
        sold_at: at(1_774_981_860),
    };
    Entry { id, entry: Some(entry), pnl: "-0.06".to_owned(), win: false }
}

#[tonic::async_trait]
impl JournalService for Core {
    async fn list_entries(
        &self,
        request: Request<ListEntriesRequest>,
    ) -> Result<Response<ListEntriesResponse>, Status> {
        self.record_call("list_entries", &request)?;
        let request = request.into_inner();
        let (opened, first) = (request.key == VALID_KEY, request.before == 0);
        self.0.journals.lock().unwrap().listed.push(request);
        let entries = if first { vec![entry(9), entry(7)] } else { Vec::new() };
        Ok(Response::new(ListEntriesResponse {
            entries,
            total: 5,
            pnl: "-0.30".to_owned(),
            wins: 0,
            more: first,
            opened,
        }))
    }

    async fn add_entry(&self, request: Request<AddEntryRequest>) -> Result<Response<AddEntryResponse>, Status> {
        self.record_call("add_entry", &request)?;
        let own = request.metadata().contains_key("authorization");
        let request = request.into_inner();
        let (key, make) = (request.key.clone(), request.make);
        let replayed = request.idempotency_key == "again";
        self.0.journals.lock().unwrap().added.push(request);
        let key = match key.as_str() {
            VALID_KEY => VALID_KEY,
            _ if own => "",
            _ if make => NEW_KEY,
            _ => return Err(no_journal()),
        };
        Ok(Response::new(AddEntryResponse { entry: Some(entry(1)), key: key.to_owned(), replayed }))
    }

    async fn take_over(&self, request: Request<TakeOverRequest>) -> Result<Response<TakeOverResponse>, Status> {
        self.record_call("take_over", &request)?;
        let request = request.into_inner();
        let opened = request.key == VALID_KEY;
        self.0.journals.lock().unwrap().taken_over.push(request);
        if opened { Ok(Response::new(TakeOverResponse { entries: 5 })) } else { Err(no_journal()) }
    }
}
