//! `/api/job-description`, `/api/apply`, `/api/application`: openings, and applications of candidates.

pub(crate) mod application;
pub(crate) mod application_form;
pub(crate) mod apply;
pub(crate) mod json;
pub(crate) mod openings;
pub(crate) mod openings_json;
pub(crate) mod routes;
