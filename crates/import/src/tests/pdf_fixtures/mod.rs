//! PDF documents. All names and numbers are invented.

pub mod contract_notes;
pub mod documents;
