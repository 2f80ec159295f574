//! Reads brokers' files: trades for the trade log, also from contract notes, ledgers, and profit and loss reports and
//! tax reports to compare with the log.
//!
//! Owns the formats of the brokers' files, and no tables: it is given a client of the trade log. No uploaded file is
//! parsed in the server process. A sandboxed parser process, which is the same program started again, reads the file and
//! streams the trades back, so a malicious file can only harm that process.
//!
//! Start reading at `formats`. `file_parser` runs in the parser process; `service` and `parser_process` run in the server.

mod cell_value;
mod contract_note;
mod error;
mod file_owner;
mod file_parser;
mod file_queue;
mod format_detection;
mod formats;
mod grpc;
mod html_table;
mod import_ledger;
mod inspection;
mod ledger;
mod map_columns;
mod note_layout;
mod ole_check;
mod parser_process;
mod pdf;
mod profit_report;
mod protocol;
mod read_profit_report;
mod redact_layout;
mod report_fields;
pub mod sandboxed_parser;
mod service;
mod settings;
mod sheet;
mod table;
mod tax_report;
mod upload;
mod workbook;
mod zip_check;

#[cfg(test)]
mod tests;

pub use error::{Error, Rejection, RejectionReason};
pub use inspection::{has_other_segment, inspect};
pub use profit_report::Report;
pub use read_profit_report::read_profit_report;
use rpc::imports::v1::import_service_server::ImportServiceServer;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
pub use settings::{MAX_PARALLEL, Settings};
pub use upload::{remove_deceptive_chars, sanitize_file_name};

/// Size of a received message in bytes. A message holds a chunk of at most 256 KiB.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

/// Returns the gRPC service, which stores trades through `trades`.
pub fn server(settings: Settings, trades: TradesServiceClient<Transport>) -> ImportServiceServer<grpc::Imports> {
    ImportServiceServer::new(grpc::Imports::new(service::Service::new(settings, trades)))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
}
