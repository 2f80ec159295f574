//! Fake analytics service with the calls that the tests of the edge need.

use prost_types::Timestamp;
use rpc::analytics::v1::analytics_service_server::AnalyticsService;
use rpc::analytics::v1::*;
use rpc::imports::v1::{ChargeKind, ChargeLine, FileIssue, ProfitReport, TaxReport, TaxReportHead};
use tonic::{Request, Response, Status, Streaming};

use super::{Core, book};

/// Returns a settlement as the core sends it.
pub fn settlement() -> Adjustment {
    Adjustment {
        id: 3,
        kind: AdjustmentKind::Settlement.into(),
        symbol: "NIFTY26MAYFUT".to_owned(),
        date: "2026-05-26".to_owned(),
        price: "99999999999.9999".to_owned(),
        change_id: 3,
        added_at: Some(Timestamp { seconds: 1_774_981_800, nanos: 0 }),
        ..Adjustment::default()
    }
}

/// Returns a parsed profit report.
pub fn report() -> ProfitReport {
    ProfitReport {
        format: "zerodha-equity-pnl".to_owned(),
        title: "P&L Statement for Equity from 2026-03-01 to 2026-03-31".to_owned(),
        book: Some(book()),
        from: "2026-03-01".to_owned(),
        to: "2026-03-31".to_owned(),
        charges: vec![ChargeLine {
            kind: ChargeKind::Other.into(),
            label: "AMC for Demat Account".to_owned(),
            amount: "88.5".to_owned(),
        }],
        ..ProfitReport::default()
    }
}

/// Returns a parsed tax report.
pub fn tax_report() -> TaxReport {
    TaxReport {
        format: "groww-capital-gains".to_owned(),
        title: "Capital Gains Statement for stocks from 01-04-2025 To 31-03-2026".to_owned(),
        broker: rpc::trades::v1::Broker::Groww.into(),
        from: "2025-04-01".to_owned(),
        to: "2026-03-31".to_owned(),
        errors: vec![FileIssue { row: 41, code: "date_invalid".to_owned(), ..FileIssue::default() }],
        error_count: 1,
        ..TaxReport::default()
    }
}

fn unexpected_call<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("not used by the tests of the edge"))
}

#[tonic::async_trait]
impl AnalyticsService for Core {
    type ListTaxLinesStream = Streaming<ListTaxLinesResponse>;
    type StreamConfirmedStrategiesStream =
        std::pin::Pin<Box<futures_util::stream::Empty<Result<StreamConfirmedStrategiesResponse, Status>>>>;
    type StreamStrategiesStream = Streaming<StreamStrategiesResponse>;

    async fn list_adjustments(
        &self,
        request: Request<ListAdjustmentsRequest>,
    ) -> Result<Response<ListAdjustmentsResponse>, Status> {
        self.record_call("list_adjustments", &request)?;
        Ok(Response::new(ListAdjustmentsResponse { adjustments: vec![settlement()] }))
    }

    async fn reconcile(&self, request: Request<ReconcileRequest>) -> Result<Response<ReconcileResponse>, Status> {
        self.record_call("reconcile", &request)?;
        assert_eq!(request.into_inner().report, Some(report()));
        let sum = |log: &str, report: &str, difference: &str| {
            let [log, report, difference] = [log, report, difference].map(str::to_owned);
            Some(ComparedSum { log, report, difference })
        };
        let sums = |[quantity, buy_value, sell_value, gross]: [&str; 4]| {
            let [quantity, buy_value, sell_value, gross] = [quantity, buy_value, sell_value, gross].map(str::to_owned);
            Some(ClosedSums { quantity, buy_value, sell_value, gross })
        };
        let remark = |code: &str, params: &[(&str, &str)]| {
            let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Some(Remark { code: code.to_owned(), params })
        };
        Ok(Response::new(ReconcileResponse {
            agrees: false,
            buy_value: sum("0", "14000", "-14000"),
            sell_value: sum("0", "15200.5", "-15200.5"),
            gross: sum("0", "1200.5", "-1200.5"),
            charge_sum: sum("0", "0", "0"),
            net: sum("0", "1200.5", "-1200.5"),
            rows: vec![ReconciledRow {
                symbol: "INFY".to_owned(),
                report: sums(["10", "14000", "15200.5", "1200.5"]),
                difference: sums(["-10", "-14000", "-15200.5", "-1200.5"]),
                cause: remark("trades_missing", &[("case", "all"), ("symbol", "INFY")]),
                repair: Some(Repair {
                    answer: Some(IssueAnswer {
                        issue_id: "missingCost:zerodha:INFY".to_owned(),
                        answer: "bought".to_owned(),
                        price: "1400".to_owned(),
                        quantity: "10".to_owned(),
                        ..IssueAnswer::default()
                    }),
                    date_required: true,
                    latest_date: "2026-03-31".to_owned(),
                }),
                ..ReconciledRow::default()
            }],
            total_rows: 1,
            differing_rows: 1,
            charges: vec![ReconciledCharge {
                kind: ChargeKind::Other.into(),
                report: "88.5".to_owned(),
                agrees: true,
                cause: remark("not_estimated", &[("charge", "other")]),
                lines: report().charges,
                ..ReconciledCharge::default()
            }],
            not_compared: remark("open_positions", &[("count", "1")]).into_iter().collect(),
        }))
    }

    async fn compare_contract_notes(
        &self,
        _: Request<CompareContractNotesRequest>,
    ) -> Result<Response<CompareContractNotesResponse>, Status> {
        unexpected_call()
    }

    async fn get_returns_on_capital(
        &self,
        request: Request<GetReturnsOnCapitalRequest>,
    ) -> Result<Response<GetReturnsOnCapitalResponse>, Status> {
        self.record_call("get_returns_on_capital", &request)?;
        Ok(Response::new(GetReturnsOnCapitalResponse::default()))
    }

    async fn reconcile_tax_report(
        &self,
        request: Request<ReconcileTaxReportRequest>,
    ) -> Result<Response<ReconcileTaxReportResponse>, Status> {
        self.record_call("reconcile_tax_report", &request)?;
        assert_eq!(request.into_inner().report, Some(tax_report()));
        let sum = |log: &str, report: &str, difference: &str| {
            let [log, report, difference] = [log, report, difference].map(str::to_owned);
            Some(ComparedSum { log, report, difference })
        };
        let sums = |[quantity, buy_value, sell_value, gross]: [&str; 4]| {
            let [quantity, buy_value, sell_value, gross] = [quantity, buy_value, sell_value, gross].map(str::to_owned);
            Some(ClosedSums { quantity, buy_value, sell_value, gross })
        };
        let side = |head: TaxReportHead| {
            Some(LineSums { head: head.into(), sums: sums(["10", "14000", "15200.5", "1200.5"]) })
        };
        let remark = |code: &str, params: &[(&str, &str)]| {
            let params = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Remark { code: code.to_owned(), params }
        };
        Ok(Response::new(ReconcileTaxReportResponse {
            agrees: false,
            heads: vec![ReconciledHead {
                head: TaxReportHead::ShortTerm.into(),
                buy_value: sum("0", "14000", "-14000"),
                sell_value: sum("0", "15200.5", "-15200.5"),
                gross: sum("0", "1200.5", "-1200.5"),
            }],
            lines: vec![ReconciledLine {
                symbol: "INFY".to_owned(),
                entry_day: "2024-06-03".to_owned(),
                exit_day: "2025-06-04".to_owned(),
                log: side(TaxReportHead::LongTerm),
                report: side(TaxReportHead::ShortTerm),
                difference: sums(["0"; 4]),
                cause: Some(remark("other_head", &[("log", "long_term"), ("report", "short_term")])),
                ..ReconciledLine::default()
            }],
            total_lines: 1,
            differing_lines: 1,
            not_compared: vec![
                remark("unread_rows", &[("count", "1")]),
                remark("section_skipped", &[("count", "2"), ("title", "Mutual Funds")]),
            ],
        }))
    }

    async fn get_overview(&self, _: Request<GetOverviewRequest>) -> Result<Response<GetOverviewResponse>, Status> {
        unexpected_call()
    }

    async fn list_groups(&self, _: Request<ListGroupsRequest>) -> Result<Response<ListGroupsResponse>, Status> {
        unexpected_call()
    }

    async fn list_closed_trades(
        &self,
        _: Request<ListClosedTradesRequest>,
    ) -> Result<Response<ListClosedTradesResponse>, Status> {
        unexpected_call()
    }

    async fn list_positions(
        &self,
        _: Request<ListPositionsRequest>,
    ) -> Result<Response<ListPositionsResponse>, Status> {
        unexpected_call()
    }

    async fn list_strategies(
        &self,
        _: Request<ListStrategiesRequest>,
    ) -> Result<Response<ListStrategiesResponse>, Status> {
        unexpected_call()
    }

    async fn get_strategy(&self, _: Request<GetStrategyRequest>) -> Result<Response<GetStrategyResponse>, Status> {
        unexpected_call()
    }

    async fn get_strategy_statistics(
        &self,
        _: Request<GetStrategyStatisticsRequest>,
    ) -> Result<Response<GetStrategyStatisticsResponse>, Status> {
        unexpected_call()
    }

    async fn get_position(&self, _: Request<GetPositionRequest>) -> Result<Response<GetPositionResponse>, Status> {
        unexpected_call()
    }

    async fn resolve_positions(
        &self,
        _: Request<ResolvePositionsRequest>,
    ) -> Result<Response<ResolvePositionsResponse>, Status> {
        unexpected_call()
    }

    async fn resolve_strategies(
        &self,
        _: Request<ResolveStrategiesRequest>,
    ) -> Result<Response<ResolveStrategiesResponse>, Status> {
        unexpected_call()
    }

    async fn get_position_figures(
        &self,
        _: Request<GetPositionFiguresRequest>,
    ) -> Result<Response<GetPositionFiguresResponse>, Status> {
        unexpected_call()
    }

    async fn list_trade_results(
        &self,
        _: Request<ListTradeResultsRequest>,
    ) -> Result<Response<ListTradeResultsResponse>, Status> {
        unexpected_call()
    }

    async fn list_open_positions(
        &self,
        _: Request<ListOpenPositionsRequest>,
    ) -> Result<Response<ListOpenPositionsResponse>, Status> {
        unexpected_call()
    }

    async fn get_charges(&self, _: Request<GetChargesRequest>) -> Result<Response<GetChargesResponse>, Status> {
        unexpected_call()
    }

    async fn get_tax_appendix(
        &self,
        _: Request<GetTaxAppendixRequest>,
    ) -> Result<Response<GetTaxAppendixResponse>, Status> {
        unexpected_call()
    }

    async fn get_tax_pack(&self, _: Request<GetTaxPackRequest>) -> Result<Response<GetTaxPackResponse>, Status> {
        unexpected_call()
    }

    async fn list_brought_forward_losses(
        &self,
        _: Request<ListBroughtForwardLossesRequest>,
    ) -> Result<Response<ListBroughtForwardLossesResponse>, Status> {
        Ok(Response::new(ListBroughtForwardLossesResponse { losses: Vec::new() }))
    }

    async fn replace_brought_forward_losses(
        &self,
        _: Request<ReplaceBroughtForwardLossesRequest>,
    ) -> Result<Response<ReplaceBroughtForwardLossesResponse>, Status> {
        unexpected_call()
    }

    async fn list_tax_entries(
        &self,
        _: Request<ListTaxEntriesRequest>,
    ) -> Result<Response<ListTaxEntriesResponse>, Status> {
        Ok(Response::new(ListTaxEntriesResponse { years: Vec::new() }))
    }

    async fn replace_tax_entries(
        &self,
        _: Request<ReplaceTaxEntriesRequest>,
    ) -> Result<Response<ReplaceTaxEntriesResponse>, Status> {
        unexpected_call()
    }

    async fn add_adjustment(
        &self,
        _: Request<AddAdjustmentRequest>,
    ) -> Result<Response<AddAdjustmentResponse>, Status> {
        unexpected_call()
    }

    async fn list_data_issues(
        &self,
        _: Request<ListDataIssuesRequest>,
    ) -> Result<Response<ListDataIssuesResponse>, Status> {
        unexpected_call()
    }

    async fn answer_data_issues(
        &self,
        _: Request<AnswerDataIssuesRequest>,
    ) -> Result<Response<AnswerDataIssuesResponse>, Status> {
        unexpected_call()
    }

    async fn delete_adjustment(
        &self,
        _: Request<DeleteAdjustmentRequest>,
    ) -> Result<Response<DeleteAdjustmentResponse>, Status> {
        unexpected_call()
    }

    async fn decide_strategy(
        &self,
        _: Request<DecideStrategyRequest>,
    ) -> Result<Response<DecideStrategyResponse>, Status> {
        unexpected_call()
    }

    async fn undo_strategy_decision(
        &self,
        _: Request<UndoStrategyDecisionRequest>,
    ) -> Result<Response<UndoStrategyDecisionResponse>, Status> {
        unexpected_call()
    }

    async fn get_strategy_settings(
        &self,
        _: Request<GetStrategySettingsRequest>,
    ) -> Result<Response<GetStrategySettingsResponse>, Status> {
        Ok(Response::new(GetStrategySettingsResponse::default()))
    }

    async fn save_strategy_settings(
        &self,
        _: Request<SaveStrategySettingsRequest>,
    ) -> Result<Response<SaveStrategySettingsResponse>, Status> {
        unexpected_call()
    }

    async fn stream_confirmed_strategies(
        &self,
        _: Request<StreamConfirmedStrategiesRequest>,
    ) -> Result<Response<Self::StreamConfirmedStrategiesStream>, Status> {
        Ok(Response::new(Box::pin(futures_util::stream::empty())))
    }

    async fn stream_strategies(
        &self,
        _: Request<StreamStrategiesRequest>,
    ) -> Result<Response<Self::StreamStrategiesStream>, Status> {
        unexpected_call()
    }

    async fn list_tax_lines(
        &self,
        _: Request<ListTaxLinesRequest>,
    ) -> Result<Response<Self::ListTaxLinesStream>, Status> {
        unexpected_call()
    }
}
