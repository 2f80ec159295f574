//! gRPC code shared by every service and its clients: the generated code of `proto/`, transport, caller identity,
//! access rules and error statuses.
//!
//! Start reading at [`transport`], then [`authorization`]. [`failure`] maps domain errors to gRPC statuses.

pub mod access;
pub mod authorization;
pub mod broker;
pub mod broker_account;
pub mod caller;
pub mod column_mapping;
mod document_signature;
pub mod failure;
pub mod json;
pub mod secret;
pub mod token;
pub mod transport;
pub mod verifier;

/// Descriptors of every message and service, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tradebahi.bin"));

macro_rules! generated {
    ($(#[$doc:meta])* $name:ident, $package:literal) => {
        $(#[$doc])*
        pub mod $name {
            #[expect(missing_docs, reason = "generated; documented in `proto/`")]
            #[allow(clippy::large_enum_variant, reason = "parts of a stream are handled one at a time")]
            pub mod v1 {
                tonic::include_proto!($package);
            }
        }
    };
}

generated!(
    /// Accounts and sessions.
    auth, "tradebahi.auth.v1"
);
generated!(
    /// The trade log.
    trades, "tradebahi.trades.v1"
);
generated!(
    /// Statistics, charges and tax of trades.
    analytics, "tradebahi.analytics.v1"
);
generated!(
    /// Imports of brokers' files.
    imports, "tradebahi.imports.v1"
);
generated!(
    /// Journals of the public pages.
    journal, "tradebahi.journal.v1"
);
generated!(
    /// Journals of accounts.
    trader_journal, "tradebahi.trader_journal.v1"
);
generated!(
    /// Openings and applications.
    careers, "tradebahi.careers.v1"
);
