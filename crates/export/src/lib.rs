//! CSV and XLSX files: exported trades and strategies, and the tax pack for an accountant.
//!
//! Owns columns, cell formats and file layouts. Knows neither HTTP nor where the rows come from: callers pass rpc
//! messages and get bytes or a file.
//!
//! Start reading at [`csv`] and [`workbook`]; [`columns`] lists the columns of a trade.

pub mod cell;
pub mod columns;
pub mod csv;
mod error;
mod layout;
pub mod strategies;
pub mod tax;
pub mod workbook;

pub use crate::error::Error;
