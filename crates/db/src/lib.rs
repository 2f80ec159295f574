//! Postgres helpers shared by every crate that owns tables: error classification, writes that outlive their caller,
//! batched cleanup, and connection pools.
//!
//! This crate knows no table and no schema. SQL statements live in the `store` module of the crate that owns them.

mod cleanup;
mod error;
mod pool;
mod read_pool;
mod write;

pub use crate::cleanup::{delete_in_batches, run_in_batches};
pub use crate::error::{Failure, classify, violated_constraint};
pub use crate::pool::{pool_options, with_session_limits};
pub use crate::read_pool::{ReadConnection, ReadPool};
pub use crate::write::{WRITE_TIMEOUT, run_to_completion};
