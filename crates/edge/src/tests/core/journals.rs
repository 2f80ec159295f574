//! Fake journal service.

use prost_types::Timestamp;
use rpc::failure::{Kind as Failed, to_status};
use rpc::journal::v1::journal_service_server::JournalService;
use rpc::journal::v1::*;
use tonic::{Request, Response, Status};

use super::Core;
use crate::tests::auth::Refusal;

/// Requests that the journal service received.
#[derive(Default)]
pub struct JournalRequests {
    pub listed: Vec<ListEntriesRequest>,
    pub added: Vec<AddEntryRequest>,
    pub claimed: Vec<ClaimJournalRequest>,
}

/// Only valid journal key.
pub const VALID_KEY: &str = "the-key-of-a-journal";
/// Key of every new journal.
pub const NEW_KEY: &str = "the-key-of-a-new-one";

fn journal_not_found() -> Status {
    to_status(&Refusal(Failed::NotFound, "JOURNAL_NOT_FOUND"))
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
        let (opened_by_key, first) = (request.key == VALID_KEY, request.page_token.is_empty());
        self.0.journals.lock().unwrap().listed.push(request);
        let entries = if first { vec![entry(9), entry(7)] } else { Vec::new() };
        Ok(Response::new(ListEntriesResponse {
            entries,
            total: 5,
            pnl: "-0.30".to_owned(),
            wins: 0,
            opened_by_key,
            next_page_token: if first { "7".to_owned() } else { String::new() },
        }))
    }

    async fn add_entry(&self, request: Request<AddEntryRequest>) -> Result<Response<AddEntryResponse>, Status> {
        self.record_call("add_entry", &request)?;
        let own = request.metadata().contains_key("authorization");
        let request = request.into_inner();
        let (key, create) = (request.key.clone(), request.create_if_missing);
        let replayed = request.idempotency_key == "again";
        self.0.journals.lock().unwrap().added.push(request);
        let key = match key.as_str() {
            VALID_KEY => VALID_KEY,
            _ if own => "",
            _ if create => NEW_KEY,
            _ => return Err(journal_not_found()),
        };
        Ok(Response::new(AddEntryResponse { entry: Some(entry(1)), key: key.to_owned(), replayed }))
    }

    async fn claim_journal(
        &self,
        request: Request<ClaimJournalRequest>,
    ) -> Result<Response<ClaimJournalResponse>, Status> {
        self.record_call("claim_journal", &request)?;
        let request = request.into_inner();
        let opened = request.key == VALID_KEY;
        self.0.journals.lock().unwrap().claimed.push(request);
        if opened { Ok(Response::new(ClaimJournalResponse { entries: 5 })) } else { Err(journal_not_found()) }
    }
}
