//! Strategies: positions, or parts of them, that were taken as one decision, such as a straddle or an iron condor.
//!
//! [`grouping`] proposes them for each underlying and account with a broker, or for all accounts of a person. Options are always part of a strategy; shares
//! and futures only if options or another future belong to them. Shapes are in [`shape`], the legs' lots in [`lot_part`].
//! Those that the trader [`confirmed`] are never regrouped; [`decision`] has the decisions that confirm and change them.
//! [`payoff`] computes the result at expiry, [`steps`] lists openings, adjustments and closings, [`statistics`] sums up,
//! and [`units`] lets all other figures count strategies.

mod book;
mod confirmed;
mod decision;
mod expiry_charges;
mod grouping;
mod leg;
mod lot_part;
mod pairs;
mod payoff;
mod settings;
mod shape;
mod statistics;
mod steps;
mod strategy;
mod time_part;
mod units;

pub use book::StrategyBook;
pub use confirmed::{ConfirmedStrategies, ConfirmedStrategy, FillRange};
pub use decision::{Decided, Decision, NewConfirmedStrategy, StrategyChange};
pub use leg::Leg;
pub use lot_part::LotPart;
pub use payoff::{Payoff, PayoffPoint};
pub use settings::GroupingSettings;
pub use shape::Shape;
pub use statistics::{StrategyFigures, StrategyGrouping, group_strategies};
pub use steps::{Step, StepKind, StepLeg};
pub use strategy::{Candidate, CandidateLeg, Strategy, StrategyState};
pub use units::{Member, StrategyUnits, Unit as StrategyUnit};
