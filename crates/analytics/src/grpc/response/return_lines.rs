//! Lines of an income tax return.

use rpc::analytics::v1 as wire;

use crate::grpc::values::format_decimal;
use crate::tax::{ReturnLine, TaxReturn};

pub(super) fn to_return_lines(tax_return: Option<TaxReturn>) -> Vec<wire::ReturnLine> {
    let lines = tax_return.and_then(|tax_return| tax_return.lines).unwrap_or_default();
    lines.iter().map(to_return_line).collect()
}

fn to_return_line(ReturnLine { form_line, amount }: &ReturnLine) -> wire::ReturnLine {
    wire::ReturnLine {
        schedule: form_line.schedule.clone(),
        line: form_line.line.clone(),
        title: form_line.title.clone(),
        field: form_line.field.clone(),
        amount: format_decimal(*amount),
        verified: form_line.is_verified,
    }
}
