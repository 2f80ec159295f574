//! Wire to domain and back.

use prost_types::Timestamp;
use rpc::auth::v1::auth_service_server::AuthService;
use rpc::auth::v1::{
    self as wire, GetAccountRequest, GetAccountResponse, GetVerificationRequest, GetVerificationResponse, LogInRequest,
    LogInResponse, LogOutRequest, LogOutResponse, RefreshRequest, RefreshResponse, RegisterRequest, RegisterResponse,
    VerificationKey,
};
use rpc::caller::Caller;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use crate::account::Form;
use crate::secret::Secret;
use crate::service::{Service, Tokens};
use crate::sign_in::Device;

/// The service as it is seen from outside.
pub(crate) struct Auth(pub(crate) Service);

#[tonic::async_trait]
impl AuthService for Auth {
    async fn register(&self, request: Request<RegisterRequest>) -> Result<Response<RegisterResponse>, Status> {
        let RegisterRequest { name, email, phone, password, confirm_password } = request.into_inner();
        let (password, confirm_password) = (Secret::new(password), Secret::new(confirm_password));
        let account_id = self.0.register(Form { name, email, phone, password, confirm_password }).await?;
        Ok(Response::new(RegisterResponse { account_id: account_id.to_string() }))
    }

    async fn log_in(&self, request: Request<LogInRequest>) -> Result<Response<LogInResponse>, Status> {
        let LogInRequest { login, password, device } = request.into_inner();
        let device = device.map(Device::from).unwrap_or_default();
        let tokens = self.0.log_in(&login, Secret::new(password), device).await?;
        Ok(Response::new(LogInResponse { tokens: Some(tokens.into()) }))
    }

    async fn refresh(&self, request: Request<RefreshRequest>) -> Result<Response<RefreshResponse>, Status> {
        let RefreshRequest { refresh_token, device } = request.into_inner();
        let tokens = self.0.refresh(&Secret::new(refresh_token), device.map(Device::from)).await?;
        Ok(Response::new(RefreshResponse { tokens: Some(tokens.into()) }))
    }

    async fn log_out(&self, request: Request<LogOutRequest>) -> Result<Response<LogOutResponse>, Status> {
        let caller = Caller::of(&request).ok().cloned();
        let refresh = Secret::new(request.into_inner().refresh_token);
        self.0.log_out(&refresh, caller.as_ref()).await?;
        Ok(Response::new(LogOutResponse {}))
    }

    async fn get_account(&self, request: Request<GetAccountRequest>) -> Result<Response<GetAccountResponse>, Status> {
        let account = self.0.account(Caller::of(&request)?).await?;
        Ok(Response::new(GetAccountResponse {
            account_id: account.account_id.to_string(),
            client_id: account.client_id,
            name: account.name,
            email: account.email,
            phone: account.phone,
            created_at: Some(timestamp(account.created_at)),
        }))
    }

    async fn get_verification(
        &self,
        _: Request<GetVerificationRequest>,
    ) -> Result<Response<GetVerificationResponse>, Status> {
        let verification = self.0.verification().await?;
        Ok(Response::new(GetVerificationResponse {
            keys: verification.keys.into_iter().map(|(kid, x)| VerificationKey { kid, x }).collect(),
            ended_sign_ins: verification.ended.iter().map(ToString::to_string).collect(),
        }))
    }
}

impl From<wire::Device> for Device {
    fn from(device: wire::Device) -> Self {
        Self::new(&device.user_agent, &device.address)
    }
}

impl From<Tokens> for wire::Tokens {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: tokens.access,
            refresh_token: tokens.refresh.expose().to_owned(),
            refresh_expires_at: Some(timestamp(tokens.refresh_expires_at)),
        }
    }
}

fn timestamp(at: OffsetDateTime) -> Timestamp {
    // A nanosecond of a second is far below 2³¹.
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}
