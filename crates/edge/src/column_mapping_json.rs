//! JSON of column mappings.

use http_server::json_fields::JsonFields;
use rpc::json::JsonName as _;
use rpc::trades::v1::{Broker, ColumnField, ColumnMapping, Exchange, MappedColumn, SavedColumnMapping, Segment};
use serde::Serialize;

use crate::broker_account::parse_broker_account;
use crate::error_texts::invalid_text;
use crate::json::{JsonError, enum_name, optional_text, to_hex};
use crate::timestamps::format_required_timestamp;

/// Saved column mapping.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedMappingJson {
    id: String,
    name: String,
    saved_at: String,
    mapping: MappingJson,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MappingJson {
    header: Vec<String>,
    broker: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    broker_account: Option<u32>,
    tradetype: &'static str,
    columns: Vec<MappedColumnJson>,
    month_first: bool,
    buy_labels: Vec<String>,
    sell_labels: Vec<String>,
    quantity_in_lots: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lot_size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<&'static str>,
}

#[derive(Serialize)]
struct MappedColumnJson {
    column: u32,
    field: &'static str,
}

impl TryFrom<SavedColumnMapping> for SavedMappingJson {
    type Error = JsonError;

    fn try_from(saved: SavedColumnMapping) -> Result<Self, JsonError> {
        Ok(Self {
            id: to_hex(&saved.header_digest),
            name: saved.name,
            saved_at: format_required_timestamp(saved.saved_at.as_ref())?,
            mapping: saved.mapping.unwrap_or_default().try_into()?,
        })
    }
}

impl TryFrom<ColumnMapping> for MappingJson {
    type Error = JsonError;

    fn try_from(mapping: ColumnMapping) -> Result<Self, JsonError> {
        let (broker, segment) = (enum_name(mapping.broker())?, enum_name(mapping.segment())?);
        let exchange = mapping.exchange().json_name();
        let to_column =
            |mapped: MappedColumn| Ok(MappedColumnJson { column: mapped.column, field: enum_name(mapped.field())? });
        Ok(Self {
            header: mapping.header,
            broker,
            broker_account: (mapping.broker_account > 0).then_some(mapping.broker_account),
            tradetype: segment,
            columns: mapping.columns.into_iter().map(to_column).collect::<Result<_, JsonError>>()?,
            month_first: mapping.month_first,
            buy_labels: mapping.buy_labels,
            sell_labels: mapping.sell_labels,
            quantity_in_lots: mapping.quantity_in_lots,
            lot_size: optional_text(mapping.lot_size),
            exchange,
        })
    }
}

/// Parses a column mapping; errors are added to `fields`. The core validates the values.
pub(crate) fn parse_mapping(fields: &mut JsonFields) -> ColumnMapping {
    let invalid = |field: &str| invalid_text("edge", field);
    let flag = || invalid_text("edge", "flag");
    fields.require(&["header", "broker", "tradetype", "columns"]);
    ColumnMapping {
        header: fields.texts("header").unwrap_or_default(),
        broker: fields.parsed("broker", Broker::from_json_name, invalid).unwrap_or_default().into(),
        broker_account: parse_broker_account(fields).unwrap_or_default(),
        segment: fields.parsed("tradetype", Segment::from_json_name, invalid).unwrap_or_default().into(),
        columns: fields.list("columns", parse_column).unwrap_or_default(),
        month_first: fields.flag("monthFirst", flag).unwrap_or_default(),
        buy_labels: fields.texts("buyLabels").unwrap_or_default(),
        sell_labels: fields.texts("sellLabels").unwrap_or_default(),
        quantity_in_lots: fields.flag("quantityInLots", flag).unwrap_or_default(),
        lot_size: fields.text("lotSize").unwrap_or_default(),
        exchange: fields.parsed("exchange", Exchange::from_json_name, invalid).unwrap_or_default().into(),
    }
}

fn parse_column(fields: &mut JsonFields) -> MappedColumn {
    fields.require(&["column", "field"]);
    let field = fields.parsed("field", ColumnField::from_json_name, |_| invalid_text("edge", "columnField"));
    let column = fields.whole_number("column").and_then(|column| u32::try_from(column).ok());
    MappedColumn { column: column.unwrap_or(u32::MAX), field: field.unwrap_or_default().into() }
}
