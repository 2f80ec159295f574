//! Responses with the estimated tax of a year.

use rpc::analytics::v1 as wire;
use rust_decimal::Decimal;

use crate::grpc::values::{format_day, format_decimal};
use crate::tax::{Regime, TaxEstimate};

pub fn to_tax_estimate(estimate: &TaxEstimate) -> wire::TaxEstimate {
    let liability = &estimate.liability;
    let (tax, advance, laws) = (&liability.income_tax, &liability.advance_tax, &liability.laws);
    let default_interest = advance.default_interest.as_ref().map_or(Decimal::ZERO, |default| default.interest);
    let special = tax.special.iter().map(|special| wire::SpecialRateTax {
        percent: format_decimal(special.percent),
        amount: format_decimal(special.amount),
        unused_exemption: format_decimal(special.unused_exemption),
        tax: format_decimal(special.tax),
    });
    let instalments = advance.instalments.iter().map(|instalment| {
        // From the day of the rest on, the liability counts the rest as paid.
        let paid = if instalment.due_day < estimate.rest_paid_on { instalment.paid } else { advance.paid };
        wire::TaxInstalment {
            due_day: format_day(instalment.due_day),
            percent: format_decimal(instalment.percent),
            due: format_decimal(instalment.due),
            paid: format_decimal(paid),
            shortfall: format_decimal((instalment.due - paid).max(Decimal::ZERO)),
            interest: format_decimal(instalment.interest),
        }
    });
    wire::TaxEstimate {
        old_regime: estimate.regime == Regime::Old,
        total_income: format_decimal(tax.total_income),
        slab_income: format_decimal(tax.slab_income),
        slab_tax: format_decimal(tax.slab_tax),
        special: special.collect(),
        rebate: format_decimal(tax.rebate),
        surcharge: format_decimal(tax.surcharge),
        cess: format_decimal(tax.cess),
        total_tax: format_decimal(tax.total()),
        deducted: format_decimal(liability.deducted),
        paid: format_decimal(advance.paid),
        instalments: instalments.collect(),
        default_interest: format_decimal(default_interest),
        interest: format_decimal(advance.interest()),
        payable: format_decimal(estimate.payable()),
        paid_later: format_decimal(estimate.paid_later),
        rest_paid_on: format_day(estimate.rest_paid_on),
        laws: [laws.slabs, laws.rebate, laws.surcharge, laws.cess, laws.advance_tax].map(str::to_owned).into(),
    }
}
