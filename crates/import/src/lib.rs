//! A broker's spreadsheet to trades.
//!
//! Owns the formats of the brokers' reports, and nothing in the database: it is handed a client of the trade log. No
//! uploaded file is ever parsed in this process. A child with hard limits, this very program started again, reads the
//! file and hands the trades back as a stream; what happens to the child happens to nobody else.
//!
//! Start reading at `formats`, then `reading.rs` (what the child does) and `service.rs` (what the parent does). `report`
//! is for files that are set against the log instead of going into it.

pub mod child;
mod compound;
mod error;
mod field;
mod formats;
mod grpc;
mod inspection;
mod parser;
mod precheck;
mod probe;
mod protocol;
mod reading;
mod report;
mod service;
mod settings;
mod sheet;
mod turns;
mod upload;
mod workbook;

#[cfg(test)]
mod tests;

pub use error::{Error, Reason, Refusal};
pub use inspection::inspect;
pub use report::read_report;
use rpc::imports::v1::import_service_server::ImportServiceServer;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
pub use settings::{MOST_PARALLEL, Settings};

/// A message holds a chunk of at most 256 KiB and little else.
const LARGEST_MESSAGE: usize = 1024 * 1024;

/// The service that reads files and hands their trades to `trades`.
pub fn server(settings: Settings, trades: TradesServiceClient<Transport>) -> ImportServiceServer<grpc::Imports> {
    ImportServiceServer::new(grpc::Imports::new(service::Service::new(settings, trades)))
        .max_decoding_message_size(LARGEST_MESSAGE)
}
