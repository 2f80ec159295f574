//! Fake auth service.

use aws_lc_rs::signature::KeyPair;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use prost_types::Timestamp;
use rpc::auth::v1::auth_service_server::AuthService;
use rpc::auth::v1::finish_google_login_response::Outcome;
use rpc::auth::v1::*;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Core;

/// Returns the time `seconds` after 2026-03-31T18:30:00Z.
fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds: 1_774_981_800 + seconds, nanos: 0 })
}

fn tokens(access_token: String) -> Option<Tokens> {
    let seconds = OffsetDateTime::now_utc().unix_timestamp() + 14 * 86_400;
    Some(Tokens {
        access_token,
        refresh_token: "next-refresh-token".to_owned(),
        refresh_expires_at: Some(Timestamp { seconds, nanos: 0 }),
        device_token: "a-device".to_owned(),
    })
}

impl Core {
    /// Records the call and its request, and returns the request message.
    fn record_request<T: std::fmt::Debug>(&self, name: &'static str, request: Request<T>) -> Result<T, Status> {
        self.record_call(name, &request)?;
        let message = request.into_inner();
        self.0.auth_requests.lock().unwrap().push(format!("{message:?}"));
        Ok(message)
    }

    /// Returns the debug output of the last recorded request.
    pub fn last_request(&self) -> String {
        self.0.auth_requests.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

#[tonic::async_trait]
impl AuthService for Core {
    async fn register(&self, request: Request<RegisterRequest>) -> Result<Response<RegisterResponse>, Status> {
        self.record_call("register", &request)?;
        Ok(Response::new(RegisterResponse { account_id: Uuid::nil().to_string() }))
    }

    async fn log_in(&self, request: Request<LogInRequest>) -> Result<Response<LogInResponse>, Status> {
        self.record_call("log_in", &request)?;
        let request = request.into_inner();
        assert!(request.password != "panic", "simulated panic");
        *self.0.device.lock().unwrap() = request.device;
        Ok(Response::new(LogInResponse { tokens: tokens(self.token()), challenge: None }))
    }

    async fn refresh(&self, request: Request<RefreshRequest>) -> Result<Response<RefreshResponse>, Status> {
        self.record_call("refresh", &request)?;
        self.0.refresh_tokens.lock().unwrap().push(request.into_inner().refresh_token);
        Ok(Response::new(RefreshResponse { tokens: tokens(self.token()) }))
    }

    async fn log_out(&self, request: Request<LogOutRequest>) -> Result<Response<LogOutResponse>, Status> {
        self.record_call("log_out", &request)?;
        self.0.refresh_tokens.lock().unwrap().push(request.into_inner().refresh_token);
        Ok(Response::new(LogOutResponse {}))
    }

    async fn get_account(&self, request: Request<GetAccountRequest>) -> Result<Response<GetAccountResponse>, Status> {
        self.record_call("get_account", &request)?;
        assert!(*self.0.name.lock().unwrap() != "panic", "simulated panic");
        Ok(Response::new(GetAccountResponse {
            email_confirmed: true,
            has_google: false,
            has_password: true,
            account_id: Uuid::nil().to_string(),
            client_id: "TB-7K3M9Q".to_owned(),
            name: self.0.name.lock().unwrap().clone(),
            email: "asha@example.in".to_owned(),
            phone: "9876543210".to_owned(),
            phone_verified: true,
            can_verify_phone: true,
            created_at: at(0),
        }))
    }

    async fn get_verification(
        &self,
        _: Request<GetVerificationRequest>,
    ) -> Result<Response<GetVerificationResponse>, Status> {
        let x = URL_SAFE_NO_PAD.encode(self.0.key.public_key());
        let keys = vec![VerificationKey { kid: "k".to_owned(), x }];
        Ok(Response::new(GetVerificationResponse {
            service_tokens: Default::default(),
            keys,
            ended_session_ids: Vec::new(),
        }))
    }

    async fn update_account(
        &self,
        request: Request<UpdateAccountRequest>,
    ) -> Result<Response<UpdateAccountResponse>, Status> {
        let message = self.record_request("update_account", request)?;
        if let Some(name) = message.name {
            *self.0.name.lock().unwrap() = name;
        }
        let account = self.get_account(Request::new(GetAccountRequest {})).await?.into_inner();
        Ok(Response::new(UpdateAccountResponse { account: Some(account) }))
    }

    async fn change_password(
        &self,
        request: Request<ChangePasswordRequest>,
    ) -> Result<Response<ChangePasswordResponse>, Status> {
        self.record_request("change_password", request)?;
        Ok(Response::new(ChangePasswordResponse { ended_session_count: 2 }))
    }

    async fn list_sessions(
        &self,
        request: Request<ListSessionsRequest>,
    ) -> Result<Response<ListSessionsResponse>, Status> {
        self.record_request("list_sessions", request)?;
        let session = |id: &str, user_agent: &str, current| Session {
            session_id: id.to_owned(),
            user_agent: user_agent.to_owned(),
            address: "203.0.113.0".to_owned(),
            created_at: at(0),
            last_seen_at: at(60),
            current,
        };
        let sessions =
            vec![session("s1", "Mozilla/5.0 (Android 15) Firefox/144.0", true), session("s2", "curl/8", false)];
        Ok(Response::new(ListSessionsResponse { sessions }))
    }

    async fn end_session(&self, request: Request<EndSessionRequest>) -> Result<Response<EndSessionResponse>, Status> {
        self.record_request("end_session", request)?;
        Ok(Response::new(EndSessionResponse { ended_session_count: 3 }))
    }

    async fn close_account(
        &self,
        request: Request<CloseAccountRequest>,
    ) -> Result<Response<CloseAccountResponse>, Status> {
        self.record_request("close_account", request)?;
        Ok(Response::new(CloseAccountResponse { deletion_date: at(30 * 86_400) }))
    }

    async fn request_phone_verification(
        &self,
        request: Request<RequestPhoneVerificationRequest>,
    ) -> Result<Response<RequestPhoneVerificationResponse>, Status> {
        self.record_request("request_phone_verification", request)?;
        Ok(Response::new(RequestPhoneVerificationResponse {}))
    }

    async fn verify_phone(
        &self,
        request: Request<VerifyPhoneRequest>,
    ) -> Result<Response<VerifyPhoneResponse>, Status> {
        self.record_call("verify_phone", &request)?;
        let account = self.get_account(Request::new(GetAccountRequest {})).await?.into_inner();
        Ok(Response::new(VerifyPhoneResponse { account: Some(account) }))
    }

    async fn request_email_confirmation(
        &self,
        request: Request<RequestEmailConfirmationRequest>,
    ) -> Result<Response<RequestEmailConfirmationResponse>, Status> {
        self.record_request("request_email_confirmation", request)?;
        Ok(Response::new(RequestEmailConfirmationResponse {}))
    }

    async fn confirm_email(
        &self,
        request: Request<ConfirmEmailRequest>,
    ) -> Result<Response<ConfirmEmailResponse>, Status> {
        self.record_request("confirm_email", request)?;
        Ok(Response::new(ConfirmEmailResponse {}))
    }

    async fn request_password_reset(
        &self,
        request: Request<RequestPasswordResetRequest>,
    ) -> Result<Response<RequestPasswordResetResponse>, Status> {
        self.record_request("request_password_reset", request)?;
        Ok(Response::new(RequestPasswordResetResponse {}))
    }

    async fn reset_password(
        &self,
        request: Request<ResetPasswordRequest>,
    ) -> Result<Response<ResetPasswordResponse>, Status> {
        self.record_request("reset_password", request)?;
        Ok(Response::new(ResetPasswordResponse {}))
    }

    async fn get_login_methods(
        &self,
        request: Request<GetLoginMethodsRequest>,
    ) -> Result<Response<GetLoginMethodsResponse>, Status> {
        self.record_request("get_login_methods", request)?;
        Ok(Response::new(GetLoginMethodsResponse { google: true }))
    }

    async fn begin_google_login(
        &self,
        request: Request<BeginGoogleLoginRequest>,
    ) -> Result<Response<BeginGoogleLoginResponse>, Status> {
        self.record_request("begin_google_login", request)?;
        Ok(Response::new(BeginGoogleLoginResponse {
            authorization_url: "https://accounts.google.com/o/oauth2/v2/auth?state=the-state".to_owned(),
            state: "the-state".to_owned(),
            nonce: "the-nonce".to_owned(),
            verifier: "the-verifier".to_owned(),
        }))
    }

    async fn finish_google_login(
        &self,
        request: Request<FinishGoogleLoginRequest>,
    ) -> Result<Response<FinishGoogleLoginResponse>, Status> {
        self.record_request("finish_google_login", request)?;
        let login_token =
            Outcome::LoginToken(LoginToken { token: "a.login.token".to_owned(), id: "its-id".to_owned() });
        let outcome = self.0.outcome.lock().unwrap().clone().unwrap_or(login_token);
        Ok(Response::new(FinishGoogleLoginResponse { outcome: Some(outcome) }))
    }

    async fn register_with_google(
        &self,
        request: Request<RegisterWithGoogleRequest>,
    ) -> Result<Response<RegisterWithGoogleResponse>, Status> {
        self.record_request("register_with_google", request)?;
        Ok(Response::new(RegisterWithGoogleResponse { tokens: tokens(self.token()) }))
    }

    async fn link_google(&self, request: Request<LinkGoogleRequest>) -> Result<Response<LinkGoogleResponse>, Status> {
        self.record_request("link_google", request)?;
        Ok(Response::new(LinkGoogleResponse { tokens: tokens(self.token()), challenge: None }))
    }

    async fn check_link_token(
        &self,
        request: Request<CheckLinkTokenRequest>,
    ) -> Result<Response<CheckLinkTokenResponse>, Status> {
        self.record_request("check_link_token", request)?;
        let (name, email) = ("Asha Rao".to_owned(), "asha@example.in".to_owned());
        Ok(Response::new(CheckLinkTokenResponse { name, email }))
    }

    async fn exchange_login_token(
        &self,
        request: Request<ExchangeLoginTokenRequest>,
    ) -> Result<Response<ExchangeLoginTokenResponse>, Status> {
        self.record_request("exchange_login_token", request)?;
        Ok(Response::new(ExchangeLoginTokenResponse { tokens: tokens(self.token()), challenge: None }))
    }

    async fn complete_log_in(
        &self,
        request: Request<CompleteLogInRequest>,
    ) -> Result<Response<CompleteLogInResponse>, Status> {
        self.record_request("complete_log_in", request)?;
        Ok(Response::new(CompleteLogInResponse { tokens: tokens(self.token()) }))
    }

    async fn begin_passkey_log_in(
        &self,
        request: Request<BeginPasskeyLogInRequest>,
    ) -> Result<Response<BeginPasskeyLogInResponse>, Status> {
        self.record_request("begin_passkey_log_in", request)?;
        Ok(Response::new(BeginPasskeyLogInResponse { options: "{}".to_owned() }))
    }

    async fn get_second_factors(
        &self,
        request: Request<GetSecondFactorsRequest>,
    ) -> Result<Response<GetSecondFactorsResponse>, Status> {
        self.record_request("get_second_factors", request)?;
        Ok(Response::new(GetSecondFactorsResponse::default()))
    }

    async fn begin_totp_setup(
        &self,
        request: Request<BeginTotpSetupRequest>,
    ) -> Result<Response<BeginTotpSetupResponse>, Status> {
        self.record_request("begin_totp_setup", request)?;
        Ok(Response::new(BeginTotpSetupResponse { secret: "GEZDGNBV".to_owned(), url: "otpauth://totp/x".to_owned() }))
    }

    async fn finish_totp_setup(
        &self,
        request: Request<FinishTotpSetupRequest>,
    ) -> Result<Response<FinishTotpSetupResponse>, Status> {
        self.record_request("finish_totp_setup", request)?;
        Ok(Response::new(FinishTotpSetupResponse::default()))
    }

    async fn begin_passkey_setup(
        &self,
        request: Request<BeginPasskeySetupRequest>,
    ) -> Result<Response<BeginPasskeySetupResponse>, Status> {
        self.record_request("begin_passkey_setup", request)?;
        Ok(Response::new(BeginPasskeySetupResponse { token: "t".to_owned(), options: "{}".to_owned() }))
    }

    async fn finish_passkey_setup(
        &self,
        request: Request<FinishPasskeySetupRequest>,
    ) -> Result<Response<FinishPasskeySetupResponse>, Status> {
        self.record_request("finish_passkey_setup", request)?;
        Ok(Response::new(FinishPasskeySetupResponse::default()))
    }

    async fn remove_second_factor(
        &self,
        request: Request<RemoveSecondFactorRequest>,
    ) -> Result<Response<RemoveSecondFactorResponse>, Status> {
        self.record_request("remove_second_factor", request)?;
        Ok(Response::new(RemoveSecondFactorResponse {}))
    }

    async fn replace_recovery_codes(
        &self,
        request: Request<ReplaceRecoveryCodesRequest>,
    ) -> Result<Response<ReplaceRecoveryCodesResponse>, Status> {
        self.record_request("replace_recovery_codes", request)?;
        Ok(Response::new(ReplaceRecoveryCodesResponse::default()))
    }

    async fn remove_trusted_device(
        &self,
        request: Request<RemoveTrustedDeviceRequest>,
    ) -> Result<Response<RemoveTrustedDeviceResponse>, Status> {
        self.record_request("remove_trusted_device", request)?;
        Ok(Response::new(RemoveTrustedDeviceResponse {}))
    }

    async fn begin_passkey_reauthentication(
        &self,
        request: Request<BeginPasskeyReauthenticationRequest>,
    ) -> Result<Response<BeginPasskeyReauthenticationResponse>, Status> {
        self.record_request("begin_passkey_reauthentication", request)?;
        Ok(Response::new(BeginPasskeyReauthenticationResponse { token: "t".to_owned(), options: "{}".to_owned() }))
    }

    async fn reauthenticate(
        &self,
        request: Request<ReauthenticateRequest>,
    ) -> Result<Response<ReauthenticateResponse>, Status> {
        self.record_request("reauthenticate", request)?;
        Ok(Response::new(ReauthenticateResponse {}))
    }

    async fn check_reauthentication(
        &self,
        request: Request<CheckReauthenticationRequest>,
    ) -> Result<Response<CheckReauthenticationResponse>, Status> {
        self.record_request("check_reauthentication", request)?;
        Ok(Response::new(CheckReauthenticationResponse {}))
    }

    async fn create_handoff(
        &self,
        request: Request<CreateHandoffRequest>,
    ) -> Result<Response<CreateHandoffResponse>, Status> {
        self.record_request("create_handoff", request)?;
        Ok(Response::new(CreateHandoffResponse { token: "a.hand-off.token".to_owned() }))
    }

    async fn start_analytics_session(
        &self,
        request: Request<StartAnalyticsSessionRequest>,
    ) -> Result<Response<StartAnalyticsSessionResponse>, Status> {
        self.record_request("start_analytics_session", request)?;
        Ok(Response::new(StartAnalyticsSessionResponse { access_token: "reads".to_owned(), expires_at: at(1800) }))
    }

    async fn create_tax_link(
        &self,
        request: Request<CreateTaxLinkRequest>,
    ) -> Result<Response<CreateTaxLinkResponse>, Status> {
        self.record_request("create_tax_link", request)?;
        Ok(Response::new(CreateTaxLinkResponse::default()))
    }

    async fn list_tax_links(
        &self,
        request: Request<ListTaxLinksRequest>,
    ) -> Result<Response<ListTaxLinksResponse>, Status> {
        self.record_request("list_tax_links", request)?;
        Ok(Response::new(ListTaxLinksResponse::default()))
    }

    async fn revoke_tax_link(
        &self,
        request: Request<RevokeTaxLinkRequest>,
    ) -> Result<Response<RevokeTaxLinkResponse>, Status> {
        self.record_request("revoke_tax_link", request)?;
        Ok(Response::new(RevokeTaxLinkResponse {}))
    }

    async fn use_tax_link(&self, request: Request<UseTaxLinkRequest>) -> Result<Response<UseTaxLinkResponse>, Status> {
        self.record_request("use_tax_link", request)?;
        let link = Some(TaxLink { year: 2025, expires_at: at(0), ..TaxLink::default() });
        Ok(Response::new(UseTaxLinkResponse { access_token: self.token(), link }))
    }
}
