//! Conversion of column mappings.

use prost_types::Timestamp;
use rpc::column_mapping;
use rpc::failure::Violation;
use rpc::trades::v1 as wire;

use super::requests::parse_optional_text;
use crate::error::Error;
use crate::store::SavedMapping;

const MAX_NAME_CHARS: usize = 150;
/// Bytes of a SHA-256.
const DIGEST_BYTES: usize = 32;

/// Returns the name and the mapping of a request.
pub(super) fn parse_mapping_to_save(
    request: wire::SaveColumnMappingRequest,
) -> Result<(String, wire::ColumnMapping), Error> {
    let mapping = request.mapping.unwrap_or_default();
    let violations = column_mapping::validate(&mapping, "mapping");
    if !violations.is_empty() {
        return Err(Error::Invalid(violations));
    }
    let name = parse_optional_text("name", &request.name, MAX_NAME_CHARS)?;
    Ok((if name.is_empty() { "table".to_owned() } else { name }, mapping))
}

pub(super) fn parse_header_digest(digest: Vec<u8>) -> Result<Vec<u8>, Error> {
    if digest.len() == DIGEST_BYTES { Ok(digest) } else { Err(Violation::new("header_digest", "INVALID").into()) }
}

pub(super) fn to_wire_saved_mapping(saved: SavedMapping) -> wire::SavedColumnMapping {
    wire::SavedColumnMapping {
        header_digest: saved.header_digest,
        name: saved.name,
        mapping: Some(saved.mapping),
        saved_at: Some(Timestamp { seconds: saved.saved_at.unix_timestamp(), nanos: 0 }),
    }
}
