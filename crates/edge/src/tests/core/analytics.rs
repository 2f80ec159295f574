//! What the trades say, of which the edge's own tests need but the entries.

use rpc::analytics::v1::analytics_service_server::AnalyticsService;
use rpc::analytics::v1::*;
use tonic::{Request, Response, Status, Streaming};

use super::Core;

/// What a settlement is, as the core sends it.
pub fn settlement() -> Adjustment {
    Adjustment {
        id: 3,
        kind: AdjustmentKind::Settlement.into(),
        symbol: "NIFTY26MAYFUT".to_owned(),
        date: "2026-05-26".to_owned(),
        price: "99999999999.9999".to_owned(),
        ..Adjustment::default()
    }
}

fn never_asked<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("no test of the edge asks for it"))
}

#[tonic::async_trait]
impl AnalyticsService for Core {
    type ListTaxLinesStream = Streaming<ListTaxLinesResponse>;

    async fn list_adjustments(
        &self,
        request: Request<ListAdjustmentsRequest>,
    ) -> Result<Response<ListAdjustmentsResponse>, Status> {
        self.called("list_adjustments", &request)?;
        Ok(Response::new(ListAdjustmentsResponse { adjustments: vec![settlement()] }))
    }

    async fn get_overview(&self, _: Request<GetOverviewRequest>) -> Result<Response<GetOverviewResponse>, Status> {
        never_asked()
    }

    async fn list_groups(&self, _: Request<ListGroupsRequest>) -> Result<Response<ListGroupsResponse>, Status> {
        never_asked()
    }

    async fn list_round_trips(
        &self,
        _: Request<ListRoundTripsRequest>,
    ) -> Result<Response<ListRoundTripsResponse>, Status> {
        never_asked()
    }

    async fn list_unmatched(
        &self,
        _: Request<ListUnmatchedRequest>,
    ) -> Result<Response<ListUnmatchedResponse>, Status> {
        never_asked()
    }

    async fn get_charges(&self, _: Request<GetChargesRequest>) -> Result<Response<GetChargesResponse>, Status> {
        never_asked()
    }

    async fn get_tax_pack(&self, _: Request<GetTaxPackRequest>) -> Result<Response<GetTaxPackResponse>, Status> {
        never_asked()
    }

    async fn add_adjustment(
        &self,
        _: Request<AddAdjustmentRequest>,
    ) -> Result<Response<AddAdjustmentResponse>, Status> {
        never_asked()
    }

    async fn delete_adjustment(
        &self,
        _: Request<DeleteAdjustmentRequest>,
    ) -> Result<Response<DeleteAdjustmentResponse>, Status> {
        never_asked()
    }

    async fn list_tax_lines(
        &self,
        _: Request<ListTaxLinesRequest>,
    ) -> Result<Response<Self::ListTaxLinesStream>, Status> {
        never_asked()
    }
}
