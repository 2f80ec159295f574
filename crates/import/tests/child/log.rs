//! A trade log that keeps nothing and remembers what it was sent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rpc::trades::v1::import_trades_request::Part;
use rpc::trades::v1::trades_service_server::{TradesService, TradesServiceServer};
use rpc::trades::v1::{
    ImportHead, ImportTradesRequest, ImportTradesResponse, ListTradesRequest, ListTradesResponse, QueryTradesRequest,
    QueryTradesResponse,
};
use tonic::{Request, Response, Status, Streaming};

/// One import, as far as it came.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub head: ImportHead,
    pub authorization: String,
    pub batches: usize,
    pub trades: i64,
    /// The number that the end gave, if it came.
    pub end: Option<i64>,
}

#[derive(Clone, Default)]
pub struct Log {
    pub seen: Arc<Mutex<Vec<Seen>>>,
    /// Refuses at the first batch.
    pub refuses: bool,
    /// Waits so long before each batch.
    pub slow: Duration,
}

impl Log {
    pub fn server(&self) -> TradesServiceServer<Self> {
        TradesServiceServer::new(self.clone())
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The only import, which must have come to its end.
    #[track_caller]
    pub fn stored(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].end, Some(seen[0].trades));
        seen[0].clone()
    }

    /// Whether nothing was stored: no import came to its end.
    pub fn kept_nothing(&self) -> bool {
        self.seen().iter().all(|seen| seen.end.is_none())
    }
}

#[tonic::async_trait]
impl TradesService for Log {
    type ListTradesStream = tokio_stream::Empty<Result<ListTradesResponse, Status>>;

    async fn list_trades(&self, _: Request<ListTradesRequest>) -> Result<Response<Self::ListTradesStream>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn query_trades(&self, _: Request<QueryTradesRequest>) -> Result<Response<QueryTradesResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn import_trades(
        &self,
        request: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        let authorization = request.metadata().get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let number = {
            let mut seen = self.seen.lock().unwrap();
            seen.push(Seen { authorization: authorization.unwrap_or_default(), ..Seen::default() });
            seen.len() - 1
        };
        let mut parts = request.into_inner();
        while let Some(message) = parts.message().await? {
            if matches!(message.part, Some(Part::Batch(_))) {
                tokio::time::sleep(self.slow).await;
                if self.refuses {
                    return Err(Status::resource_exhausted("another write is running"));
                }
            }
            let mut seen = self.seen.lock().unwrap();
            let seen = &mut seen[number];
            match message.part {
                Some(Part::Head(head)) => seen.head = head,
                Some(Part::Batch(batch)) => {
                    assert!((1..=2_000).contains(&batch.trades.len()));
                    seen.batches += 1;
                    seen.trades += i64::try_from(batch.trades.len()).unwrap();
                }
                Some(Part::End(end)) => seen.end = Some(end.trades),
                None => (),
            }
        }
        let seen = self.seen.lock().unwrap()[number].clone();
        match seen.end {
            Some(_) => Ok(Response::new(ImportTradesResponse {
                import_id: 7,
                added: seen.trades,
                ..ImportTradesResponse::default()
            })),
            None => Err(Status::invalid_argument("the stream broke off")),
        }
    }
}
