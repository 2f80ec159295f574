//! Responses with charges and taxes.

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;

use crate::charge_lines::ChargeLine;
use crate::charges::{Charges, Component};
use crate::grpc::losses::{to_head, to_tax_losses};
use crate::grpc::response::return_lines::to_return_lines;
use crate::grpc::response::tax_estimate::to_tax_estimate;
use crate::grpc::tax_entries::{to_dividends, to_tie_out};
use crate::grpc::values::{format_day, format_decimal, format_optional, format_optional_day, to_count, to_issue_kind};
use crate::tax::{BusinessIncome, CapitalGains, TaxLine, TaxPack};

pub fn to_charges((total, lines): (Charges, Vec<ChargeLine>)) -> wire::GetChargesResponse {
    let line = |line: ChargeLine| wire::ChargeLine {
        component: to_component(line.component).into(),
        rule: line.rule,
        from: format_optional_day(line.from),
        source: line.source,
        amount: format_decimal(line.amount),
    };
    wire::GetChargesResponse {
        total: format_decimal(total.total()),
        components: to_component_sums(&total),
        lines: lines.into_iter().map(line).collect(),
    }
}

pub(super) fn to_component_sums(charges: &Charges) -> Vec<wire::ComponentSum> {
    let sum = |(component, amount)| wire::ComponentSum {
        component: to_component(component).into(),
        amount: format_decimal(amount),
    };
    charges.components().map(sum).into()
}

pub(super) fn to_component(component: Component) -> wire::Component {
    match component {
        Component::Brokerage => wire::Component::Brokerage,
        Component::Stt => wire::Component::Stt,
        Component::Exchange => wire::Component::Exchange,
        Component::Sebi => wire::Component::Sebi,
        Component::Ipft => wire::Component::Ipft,
        Component::StampDuty => wire::Component::StampDuty,
        Component::Gst => wire::Component::Gst,
        Component::Dp => wire::Component::Dp,
    }
}

pub fn to_tax_pack(pack: TaxPack) -> wire::GetTaxPackResponse {
    wire::GetTaxPackResponse {
        losses: Some(to_tax_losses(&pack)),
        dividends: Some(to_dividends(&pack.dividends, pack.year)),
        tie_outs: pack.tie_outs.iter().map(to_tie_out).collect(),
        estimate: pack.estimate.as_ref().map(to_tax_estimate),
        delivered_shares: Some(to_business_income(pack.delivered_shares)),
        return_form: pack.tax_return.as_ref().map(|tax_return| tax_return.form.name().to_owned()).unwrap_or_default(),
        has_return_lines: pack.tax_return.as_ref().is_some_and(|tax_return| tax_return.lines.is_some()),
        return_lines: to_return_lines(pack.tax_return),
        speculative: Some(to_business_income(pack.speculative)),
        non_speculative: Some(to_business_income(pack.non_speculative)),
        short_term: pack.short_term.into_iter().map(to_capital_gains).collect(),
        long_term: pack.long_term.into_iter().map(to_capital_gains).collect(),
        long_term_exempt: format_optional(pack.long_term_exempt),
        business_turnover: format_decimal(pack.business_turnover),
        hints: pack.hints.into_iter().map(str::to_owned).collect(),
        open_issues: to_count(pack.open_issues.values().sum()),
        open_issues_by_kind: pack
            .open_issues
            .into_iter()
            .map(|(kind, count)| wire::DataIssueCount { kind: to_issue_kind(kind).into(), count: to_count(count) })
            .collect(),
        doubtful_lines: to_count(pack.doubtful_lines),
    }
}

fn to_business_income(business: BusinessIncome) -> wire::BusinessIncome {
    wire::BusinessIncome {
        closed_trades: to_count(business.closed_trades),
        gross: format_decimal(business.gross),
        charges: format_decimal(business.charges),
        net: format_decimal(business.net),
        turnover: format_decimal(business.turnover),
        profits: format_decimal(business.profits),
        losses: format_decimal(business.losses),
    }
}

fn to_capital_gains(gains: CapitalGains) -> wire::CapitalGains {
    wire::CapitalGains {
        from: format_day(gains.from),
        to: format_day(gains.to),
        rate_percent: format_optional(gains.rate.percent()),
        assets: gains.assets.to_owned(),
        law: gains.law.to_owned(),
        sales: to_count(gains.sales),
        sale_value: format_decimal(gains.sale_value),
        cost: format_decimal(gains.cost),
        expenses: format_decimal(gains.expenses),
        gain: format_decimal(gains.gain),
    }
}

pub fn to_tax_line(line: TaxLine) -> wire::TaxLine {
    let rate = line.gains_rate();
    wire::TaxLine {
        law: rate.map(|rate| rate.law.clone()).unwrap_or_default(),
        assets: line.rule.map(|rule| rule.assets.clone()).unwrap_or_default(),
        rate_percent: format_optional(rate.and_then(|rate| rate.rate.percent())),
        has_exemption: rate.is_some_and(|rate| rate.rate.has_exemption()),
        isin: line.isin,
        head: to_head(line.head).into(),
        broker: line.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(line.account.number),
        symbol: line.symbol,
        quantity: format_decimal(line.quantity),
        bought: format_day(line.bought),
        sold: format_day(line.sold),
        buy_value: format_decimal(line.buy_value),
        paid: format_decimal(line.paid),
        fair_value: format_optional(line.fair_value.amount()),
        sell_value: format_decimal(line.sell_value),
        stt: format_decimal(line.stt),
        other_charges: format_decimal(line.other_charges),
        income: format_decimal(line.income),
        gross: format_decimal(line.sell_value - line.paid),
        open_issue: line.open_issue,
    }
}
