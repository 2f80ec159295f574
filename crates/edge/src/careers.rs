//! The careers pages: openings, applications, and what a candidate does with the own one. They stand below `/api` alone.
//!
//! A candidate has no account. The key of a letter comes in a header, so that it is in no URL that we are sent, and
//! opens one application.

mod apply;
mod form;
mod openings;
mod own;
mod record;

use axum::Router;
use axum::routing::{get, post, put};

use crate::Shared;

pub(crate) use self::form::{LARGEST_FORM, too_large};
pub(crate) use self::openings::is_gone;

/// Bodies with corrected answers, the longest of them 5,000 characters of any script.
pub(crate) const ANSWERS_BYTES: usize = 64 * 1024;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/job-description", get(openings::list))
        .route("/api/job-description/{jobid}", get(openings::describe))
        .route("/api/application", get(own::show).patch(own::correct).delete(own::erase))
        .route("/api/application/withdraw", post(own::withdraw))
        .route("/api/application/later-roles", put(own::set_later_roles).delete(own::set_later_roles))
        .route("/api/application/resume", get(own::resume))
}

pub(crate) fn upload_routes() -> Router<Shared> {
    Router::new().route("/api/apply/{jobid}", post(apply::apply))
}
