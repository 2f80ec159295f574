//! Every statement on the schema `careers`.

mod add;
mod erase;
mod letters;
mod read;
mod write;

pub(crate) use add::{Limits, Stored};
pub(crate) use letters::{Due, LetterKind, forget_letters};
pub(crate) use read::{Cursor, Filter, resumes};
use sqlx::PgPool;

/// The tables.
#[derive(Clone)]
pub(crate) struct Store {
    pool: PgPool,
}

impl Store {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}
