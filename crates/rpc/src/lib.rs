//! What every service and every client of a service shares, and nothing else: the generated code of `proto/`, the way
//! a call travels, who calls and who may, and how a failure looks on the wire.
//!
//! Start reading at [`transport`], then [`guard`].

pub mod access;
pub mod caller;
pub mod failure;
pub mod guard;
pub mod secret;
pub mod token;
pub mod transport;

use std::time::Duration;

/// The longest that a write runs whose caller may have gone. Each of its statements has a limit in the database; this
/// one is for a database that has fallen silent, which nothing else would notice.
pub const LONGEST_WRITE: Duration = Duration::from_secs(20);

/// Every message and service of the product, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tradebahi.bin"));

macro_rules! generated {
    ($(#[$doc:meta])* $name:ident, $package:literal) => {
        $(#[$doc])*
        pub mod $name {
            #[expect(missing_docs, reason = "generated; the comments stand in `proto/`")]
            #[allow(clippy::large_enum_variant, reason = "a part of a stream is read as it comes")]
            pub mod v1 {
                tonic::include_proto!($package);
            }
        }
    };
}

generated!(
    /// Accounts and sign-in.
    auth, "tradebahi.auth.v1"
);
generated!(
    /// The trade log.
    trades, "tradebahi.trades.v1"
);
generated!(
    /// What the trades say.
    analytics, "tradebahi.analytics.v1"
);
generated!(
    /// Brokers' files.
    imports, "tradebahi.imports.v1"
);
generated!(
    /// The journals of the public pages.
    journals, "tradebahi.journals.v1"
);
generated!(
    /// Openings and applications.
    careers, "tradebahi.careers.v1"
);
