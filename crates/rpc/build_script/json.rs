//! JSON of messages: serde attributes and enum names, from the options in `proto/tradebahi/json`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;

use protox::prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, Kind,
    MessageDescriptor, Value,
};
use tonic_prost_build::Builder;

/// Packages whose responses are written as JSON.
const JSON_PACKAGES: [&str; 2] = ["tradebahi.analytics.v1", "tradebahi.trader_journal.v1"];

/// Messages of other packages that are written as JSON.
const JSON_MESSAGES: [&str; 7] = [
    "tradebahi.imports.v1.ImportLedgerResponse",
    "tradebahi.trades.v1.DeleteLedgerResponse",
    "tradebahi.trades.v1.DocumentSignature",
    "tradebahi.trades.v1.ListContractNotesResponse",
    "tradebahi.trades.v1.ListLedgerSumsResponse",
    "tradebahi.trades.v1.ListLedgersResponse",
    "tradebahi.trades.v1.StreamLedgerEntriesResponse",
];

/// Lets these messages, and every message that they contain, be written as JSON.
pub fn derive_json(mut builder: Builder, pool: &DescriptorPool) -> Result<Builder, Box<dyn Error>> {
    let mut messages = BTreeSet::new();
    for message in pool.all_messages() {
        // A response with a choice of parts is one message of a stream, which is never JSON.
        let is_of_package = JSON_PACKAGES.contains(&message.package_name())
            && message.name().ends_with("Response")
            && message.oneofs().len() == 0;
        if is_of_package || JSON_MESSAGES.contains(&message.full_name()) {
            collect_messages(message, &mut messages);
        }
    }
    for name in messages {
        let message = pool.get_message_by_name(&name).ok_or("unknown message")?;
        let derive = "#[derive(serde::Serialize)] #[serde(rename_all = \"camelCase\")]";
        builder = builder.message_attribute(&name, derive);
        for field in message.fields() {
            if let Some(attribute) = field_attribute(pool, &field)? {
                builder = builder.field_attribute(format!("{name}.{}", field.name()), attribute);
            }
        }
    }
    Ok(builder)
}

/// Adds the names of a message and of all messages of ours in its fields.
fn collect_messages(message: MessageDescriptor, names: &mut BTreeSet<String>) {
    let is_ours = message.package_name().starts_with("tradebahi.");
    if is_ours && names.insert(message.full_name().to_owned()) {
        for field in message.fields() {
            if let Kind::Message(inner) = field.kind() {
                collect_messages(inner, names);
            }
        }
    }
}

/// Returns the serde attribute of a field, if it needs one.
fn field_attribute(pool: &DescriptorPool, field: &FieldDescriptor) -> Result<Option<String>, Box<dyn Error>> {
    let options = field.options();
    let is_set = |name: &str| option(pool, &options, name).is_some_and(|value| value.as_bool() == Some(true));
    let text = |name: &str| option(pool, &options, name).and_then(|value| value.as_str().map(str::to_owned));
    if is_set("skip") {
        return Ok(Some("#[serde(skip)]".to_owned()));
    }
    let is_nullable = is_set("nullable");
    let mut parts = Vec::new();
    if let Some(name) = text("name") {
        parts.push(format!("rename = {name:?}"));
    }
    if is_set("flatten") {
        parts.push("flatten".to_owned());
    }
    if is_set("omit_empty") {
        let is_text = matches!(field.kind(), Kind::String);
        let is_empty = if is_text { "String::is_empty" } else { "crate::json::is_zero" };
        parts.push(format!("skip_serializing_if = {is_empty:?}"));
    }
    let function = match field.kind() {
        _ if text("with").is_some() => text("with"),
        Kind::Enum(kind) if field.cardinality() == Cardinality::Repeated => {
            Some(format!("enum_values::<{}, _>", rust_path(&kind)?))
        }
        Kind::Enum(kind) => Some(format!("enum_value::<{}, _>", rust_path(&kind)?)),
        Kind::Message(message) if message.full_name() == "google.protobuf.Timestamp" => {
            Some(if is_nullable { "nullable_timestamp" } else { "timestamp" }.to_owned())
        }
        Kind::String if is_set("decimal") && is_nullable => Some("nullable_decimal".to_owned()),
        Kind::String if is_set("decimal") => Some("decimal".to_owned()),
        Kind::String if is_nullable => Some("nullable_text".to_owned()),
        Kind::Int64 if is_set("id") => Some("id".to_owned()),
        _ => None,
    };
    if let Some(function) = function {
        parts.push(format!("serialize_with = \"crate::json::{function}\""));
    }
    Ok((!parts.is_empty()).then(|| format!("#[serde({})]", parts.join(", "))))
}

/// Generates the JSON names of the values of all enums. The value 0, which means unspecified, has none.
pub fn enum_names(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
    let mut code = String::new();
    for kind in pool.all_enums().filter(|kind| kind.package_name().starts_with("tradebahi.")) {
        let values: Vec<(i32, String)> = kind
            .values()
            .filter(|value| value.number() != 0)
            .map(|value| (value.number(), value_name(pool, &kind, &value)))
            .collect();
        writeln!(code, "impl JsonName for {} {{", rust_path(&kind)?)?;
        writeln!(code, "    fn json_name(self) -> Option<&'static str> {{\n        match self as i32 {{")?;
        for (number, name) in &values {
            writeln!(code, "            {number} => Some({name:?}),")?;
        }
        writeln!(code, "            _ => None,\n        }}\n    }}")?;
        writeln!(code, "    fn from_json_name(name: &str) -> Option<Self> {{\n        let number = match name {{")?;
        for (number, name) in &values {
            writeln!(code, "            {name:?} => {number},")?;
        }
        writeln!(code, "            _ => return None,\n        }};\n        Self::try_from(number).ok()\n    }}\n}}")?;
    }
    Ok(code)
}

/// Returns the JSON name of an enum value: its option, or `STAMP_DUTY` of `COMPONENT_STAMP_DUTY` as `stampDuty`.
fn value_name(pool: &DescriptorPool, kind: &EnumDescriptor, value: &EnumValueDescriptor) -> String {
    if let Some(Value::String(name)) = option(pool, &value.options(), "value_name") {
        return name;
    }
    let prefix: String =
        kind.name().chars().flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain([c])).collect();
    let prefix = format!("{}_", prefix.trim_start_matches('_').to_uppercase());
    let suffix = value.name().strip_prefix(&prefix).unwrap_or(value.name()).to_lowercase();
    let mut name = String::with_capacity(suffix.len());
    let mut is_first_of_part = false;
    for c in suffix.chars() {
        match c {
            '_' => is_first_of_part = true,
            c if std::mem::take(&mut is_first_of_part) => name.push(c.to_ascii_uppercase()),
            c => name.push(c),
        }
    }
    name
}

/// Returns the path of the generated type: `crate::trades::v1::Side` for `tradebahi.trades.v1.Side`.
fn rust_path(kind: &EnumDescriptor) -> Result<String, Box<dyn Error>> {
    let name = kind.full_name().strip_prefix("tradebahi.").ok_or("an enum of another package")?;
    Ok(format!("crate::{}", name.replace('.', "::")))
}

/// Returns the value of an option of `proto/tradebahi/json`, if it is set.
fn option(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Option<Value> {
    let extension = pool.get_extension_by_name(&format!("tradebahi.json.v1.{name}"))?;
    options.has_extension(&extension).then(|| options.get_extension(&extension).into_owned())
}
