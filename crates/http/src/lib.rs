//! The HTTP server: connections, limits, load shedding, body reading, problem+json, security headers and metrics.
//!
//! Owns everything that is the same for each request, whichever operation it is for. Knows no operation of the product,
//! no rpc service and no database, so that it can be tested without them; `crates/edge` adds the operations.
//!
//! Start reading at [`serve`] (connections), [`limiter`] (all concurrency limits) and [`trace`] (the outermost layer of
//! every request). From the outermost to
//! the innermost layer: [`trace`], [`host`], [`load_shed`], [`compression`], [`cross_site`], the edge's rate limits
//! ([`rate_limit`]), and per route [`body_limits`].

pub mod accept_encoding;
pub mod body_limits;
pub mod call_limit;
pub mod client_address;
pub mod compression;
pub mod content_security_policy;
pub mod cross_site;
pub mod csp_report;
mod drain;
pub mod host;
pub mod json_body;
pub mod json_fields;
pub mod limiter;
pub mod listener;
pub mod load_shed;
pub mod metrics;
pub mod multipart;
pub mod network;
pub mod path_id;
mod pending_bodies;
pub mod problem;
pub mod query;
pub mod rate_limit;
pub mod request_id;
pub mod security_headers;
pub mod serve;
pub mod settings;
pub mod trace;
pub mod transfer_rate;
mod write_timeout;
