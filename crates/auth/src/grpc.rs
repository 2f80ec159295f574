//! Conversion between proto messages and domain types.

mod requests;
mod responses;
mod second_factor;
mod tax_links;

use rpc::auth::v1::auth_service_server::AuthService;
use rpc::auth::v1::{
    self as wire, GetAccountRequest, GetAccountResponse, GetVerificationRequest, GetVerificationResponse, LogInRequest,
    LogInResponse, LogOutRequest, LogOutResponse, RefreshRequest, RefreshResponse, RegisterRequest, RegisterResponse,
    VerificationKey,
};
use rpc::authorization::peer_address;
use rpc::caller::{AuthError, Caller};
use rpc::failure;
use tonic::{Request, Response, Status};

use self::requests::{DeviceSource, new_password, select_updates};
use self::responses::{encode_account, encode_outcome, encode_service_token, encode_session, timestamp};
use self::tax_links::{encode_tax_link, parse_action};
use crate::account::{Account, RegistrationForm};
use crate::error::Error;
use crate::google::AuthorizationResponse;
use crate::secret::Secret;
use crate::service::Service;
use crate::tax_link::NewTaxLink;

/// gRPC implementation of auth.
pub(crate) struct Auth(pub(crate) Service);

#[tonic::async_trait]
impl AuthService for Auth {
    async fn register(&self, request: Request<RegisterRequest>) -> Result<Response<RegisterResponse>, Status> {
        let RegisterRequest { name, email, phone, password, confirm_password, notice_version } = request.into_inner();
        let (password, confirm_password) = (Secret::new(password), Secret::new(confirm_password));
        let form = RegistrationForm { name, email, phone, password, confirm_password, notice_version };
        let account_id = self.0.register(form).await?;
        Ok(Response::new(RegisterResponse { account_id: account_id.to_string() }))
    }

    async fn log_in(&self, request: Request<LogInRequest>) -> Result<Response<LogInResponse>, Status> {
        let source = DeviceSource::from_request(&request);
        let LogInRequest { restore, login, password, device } = request.into_inner();
        let device = source.device(device);
        let outcome = self.0.log_in(&login, Secret::new(password), device, restore).await?;
        let (tokens, challenge) = encode_outcome(outcome);
        Ok(Response::new(LogInResponse { tokens, challenge }))
    }

    async fn complete_log_in(
        &self,
        request: Request<wire::CompleteLogInRequest>,
    ) -> Result<Response<wire::CompleteLogInResponse>, Status> {
        let source = DeviceSource::from_request(&request);
        let wire::CompleteLogInRequest { token, proof, trust_device, device, origin } = request.into_inner();
        let device = source.device(device);
        let proof = second_factor::parse_proof(proof).ok_or_else(second_factor::missing_proof)?;
        let tokens = self.0.complete_log_in(&Secret::new(token), proof, &origin, trust_device, device).await?;
        Ok(Response::new(wire::CompleteLogInResponse { tokens: Some(tokens.into()) }))
    }

    async fn begin_passkey_log_in(
        &self,
        request: Request<wire::BeginPasskeyLogInRequest>,
    ) -> Result<Response<wire::BeginPasskeyLogInResponse>, Status> {
        let wire::BeginPasskeyLogInRequest { token, origin } = request.into_inner();
        let options = self.0.begin_passkey_log_in(&Secret::new(token), &origin).await?.options;
        Ok(Response::new(wire::BeginPasskeyLogInResponse { options }))
    }

    async fn get_second_factors(
        &self,
        request: Request<wire::GetSecondFactorsRequest>,
    ) -> Result<Response<wire::GetSecondFactorsResponse>, Status> {
        let overview = self.0.second_factors(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(second_factor::encode_overview(overview)))
    }

    async fn begin_totp_setup(
        &self,
        request: Request<wire::BeginTotpSetupRequest>,
    ) -> Result<Response<wire::BeginTotpSetupResponse>, Status> {
        let setup = self.0.begin_totp_setup(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(wire::BeginTotpSetupResponse { secret: setup.secret, url: setup.url }))
    }

    async fn finish_totp_setup(
        &self,
        request: Request<wire::FinishTotpSetupRequest>,
    ) -> Result<Response<wire::FinishTotpSetupResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let codes = self.0.finish_totp_setup(&trader, &Secret::new(request.into_inner().code)).await?;
        Ok(Response::new(wire::FinishTotpSetupResponse { recovery_codes: second_factor::encode_codes(&codes) }))
    }

    async fn begin_passkey_setup(
        &self,
        request: Request<wire::BeginPasskeySetupRequest>,
    ) -> Result<Response<wire::BeginPasskeySetupResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        let begun = self.0.begin_passkey_setup(trader, &request.get_ref().origin).await?;
        let token = begun.token.expose().to_owned();
        Ok(Response::new(wire::BeginPasskeySetupResponse { token, options: begun.options }))
    }

    async fn finish_passkey_setup(
        &self,
        request: Request<wire::FinishPasskeySetupRequest>,
    ) -> Result<Response<wire::FinishPasskeySetupResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let wire::FinishPasskeySetupRequest { token, name, response, origin } = request.into_inner();
        let codes = self.0.finish_passkey_setup(&trader, &Secret::new(token), &name, &response, &origin).await?;
        Ok(Response::new(wire::FinishPasskeySetupResponse { recovery_codes: second_factor::encode_codes(&codes) }))
    }

    async fn remove_second_factor(
        &self,
        request: Request<wire::RemoveSecondFactorRequest>,
    ) -> Result<Response<wire::RemoveSecondFactorResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        self.0.remove_second_factor(trader, &request.get_ref().passkey_id).await?;
        Ok(Response::new(wire::RemoveSecondFactorResponse {}))
    }

    async fn replace_recovery_codes(
        &self,
        request: Request<wire::ReplaceRecoveryCodesRequest>,
    ) -> Result<Response<wire::ReplaceRecoveryCodesResponse>, Status> {
        let codes = self.0.replace_recovery_codes(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(wire::ReplaceRecoveryCodesResponse { recovery_codes: second_factor::encode_codes(&codes) }))
    }

    async fn remove_trusted_device(
        &self,
        request: Request<wire::RemoveTrustedDeviceRequest>,
    ) -> Result<Response<wire::RemoveTrustedDeviceResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        self.0.remove_trusted_device(trader, &request.get_ref().trusted_device_id).await?;
        Ok(Response::new(wire::RemoveTrustedDeviceResponse {}))
    }

    async fn begin_passkey_reauthentication(
        &self,
        request: Request<wire::BeginPasskeyReauthenticationRequest>,
    ) -> Result<Response<wire::BeginPasskeyReauthenticationResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        let begun = self.0.begin_passkey_reauthentication(trader, &request.get_ref().origin).await?;
        let token = begun.token.expose().to_owned();
        Ok(Response::new(wire::BeginPasskeyReauthenticationResponse { token, options: begun.options }))
    }

    async fn reauthenticate(
        &self,
        request: Request<wire::ReauthenticateRequest>,
    ) -> Result<Response<wire::ReauthenticateResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let wire::ReauthenticateRequest { password, proof, token, origin } = request.into_inner();
        let (password, token) = (Secret::new(password), Secret::new(token));
        self.0.reauthenticate(&trader, password, second_factor::parse_proof(proof), &token, &origin).await?;
        Ok(Response::new(wire::ReauthenticateResponse {}))
    }

    async fn check_reauthentication(
        &self,
        request: Request<wire::CheckReauthenticationRequest>,
    ) -> Result<Response<wire::CheckReauthenticationResponse>, Status> {
        self.0.require_reauthentication(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(wire::CheckReauthenticationResponse {}))
    }

    async fn refresh(&self, request: Request<RefreshRequest>) -> Result<Response<RefreshResponse>, Status> {
        let source = DeviceSource::from_request(&request);
        let RefreshRequest { refresh_token, device } = request.into_inner();
        let tokens =
            self.0.refresh(&Secret::new(refresh_token), device.map(|device| source.device(Some(device)))).await?;
        Ok(Response::new(RefreshResponse { tokens: Some(tokens.into()) }))
    }

    async fn log_out(&self, request: Request<LogOutRequest>) -> Result<Response<LogOutResponse>, Status> {
        let caller = Caller::from_request(&request).ok().cloned();
        let refresh = Secret::new(request.into_inner().refresh_token);
        self.0.log_out(&refresh, caller.as_ref()).await?;
        Ok(Response::new(LogOutResponse {}))
    }

    async fn get_account(&self, request: Request<GetAccountRequest>) -> Result<Response<GetAccountResponse>, Status> {
        let account = self.0.account(Caller::from_request(&request)?).await?;
        Ok(Response::new(encode_account(account, self.0.sends_sms())))
    }

    async fn get_verification(
        &self,
        _: Request<GetVerificationRequest>,
    ) -> Result<Response<GetVerificationResponse>, Status> {
        let data = self.0.verification_data().await?;
        Ok(Response::new(GetVerificationResponse {
            keys: data.keys.into_iter().map(|(kid, x)| VerificationKey { kid, x }).collect(),
            ended_session_ids: data.ended_sessions.iter().map(ToString::to_string).collect(),
            service_tokens: data.service_tokens.into_iter().map(encode_service_token).collect(),
        }))
    }

    async fn update_account(
        &self,
        request: Request<wire::UpdateAccountRequest>,
    ) -> Result<Response<wire::UpdateAccountResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let (name, phone) = select_updates(request.into_inner())?;
        let account = self.0.update_account(&trader, name, phone).await?;
        let account = Some(encode_account(account, self.0.sends_sms()));
        Ok(Response::new(wire::UpdateAccountResponse { account }))
    }

    async fn request_phone_verification(
        &self,
        request: Request<wire::RequestPhoneVerificationRequest>,
    ) -> Result<Response<wire::RequestPhoneVerificationResponse>, Status> {
        self.0.request_phone_verification(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(wire::RequestPhoneVerificationResponse {}))
    }

    async fn verify_phone(
        &self,
        request: Request<wire::VerifyPhoneRequest>,
    ) -> Result<Response<wire::VerifyPhoneResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let account = self.0.verify_phone(&trader, &Secret::new(request.into_inner().code)).await?;
        let account = Some(encode_account(account, self.0.sends_sms()));
        Ok(Response::new(wire::VerifyPhoneResponse { account }))
    }

    async fn change_password(
        &self,
        request: Request<wire::ChangePasswordRequest>,
    ) -> Result<Response<wire::ChangePasswordResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let wire::ChangePasswordRequest { current_password, password, confirm_password } = request.into_inner();
        let new = new_password(password, confirm_password);
        let ended_session_count = self.0.change_password(&trader, Secret::new(current_password), new).await?;
        Ok(Response::new(wire::ChangePasswordResponse { ended_session_count }))
    }

    async fn list_sessions(
        &self,
        request: Request<wire::ListSessionsRequest>,
    ) -> Result<Response<wire::ListSessionsResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        let sessions = self.0.list_sessions(trader).await?;
        Ok(Response::new(wire::ListSessionsResponse {
            sessions: sessions.into_iter().map(|session| encode_session(session, trader)).collect(),
        }))
    }

    async fn end_session(
        &self,
        request: Request<wire::EndSessionRequest>,
    ) -> Result<Response<wire::EndSessionResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        let ended_session_count = self.0.end_session(trader, &request.get_ref().session_id).await?;
        Ok(Response::new(wire::EndSessionResponse { ended_session_count }))
    }

    async fn close_account(
        &self,
        request: Request<wire::CloseAccountRequest>,
    ) -> Result<Response<wire::CloseAccountResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let deletion_date = self.0.close_account(&trader, Secret::new(request.into_inner().password)).await?;
        Ok(Response::new(wire::CloseAccountResponse { deletion_date: Some(timestamp(deletion_date)) }))
    }

    async fn request_email_confirmation(
        &self,
        request: Request<wire::RequestEmailConfirmationRequest>,
    ) -> Result<Response<wire::RequestEmailConfirmationResponse>, Status> {
        self.0.request_email_confirmation(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(wire::RequestEmailConfirmationResponse {}))
    }

    async fn confirm_email(
        &self,
        request: Request<wire::ConfirmEmailRequest>,
    ) -> Result<Response<wire::ConfirmEmailResponse>, Status> {
        self.0.confirm_email(&Secret::new(request.into_inner().token)).await?;
        Ok(Response::new(wire::ConfirmEmailResponse {}))
    }

    async fn request_password_reset(
        &self,
        request: Request<wire::RequestPasswordResetRequest>,
    ) -> Result<Response<wire::RequestPasswordResetResponse>, Status> {
        self.0.request_password_reset(&request.into_inner().email).await?;
        Ok(Response::new(wire::RequestPasswordResetResponse {}))
    }

    async fn reset_password(
        &self,
        request: Request<wire::ResetPasswordRequest>,
    ) -> Result<Response<wire::ResetPasswordResponse>, Status> {
        let wire::ResetPasswordRequest { token, password, confirm_password } = request.into_inner();
        self.0.reset_password(&Secret::new(token), new_password(password, confirm_password)).await?;
        Ok(Response::new(wire::ResetPasswordResponse {}))
    }

    async fn get_login_methods(
        &self,
        _: Request<wire::GetLoginMethodsRequest>,
    ) -> Result<Response<wire::GetLoginMethodsResponse>, Status> {
        Ok(Response::new(wire::GetLoginMethodsResponse { google: self.0.has_google() }))
    }

    async fn begin_google_login(
        &self,
        request: Request<wire::BeginGoogleLoginRequest>,
    ) -> Result<Response<wire::BeginGoogleLoginResponse>, Status> {
        let authorization = self.0.begin_google(&request.into_inner().redirect_uri)?;
        Ok(Response::new(wire::BeginGoogleLoginResponse {
            authorization_url: authorization.authorization_url,
            state: authorization.state.expose().to_owned(),
            nonce: authorization.nonce.expose().to_owned(),
            verifier: authorization.verifier.expose().to_owned(),
        }))
    }

    async fn finish_google_login(
        &self,
        request: Request<wire::FinishGoogleLoginRequest>,
    ) -> Result<Response<wire::FinishGoogleLoginResponse>, Status> {
        let wire::FinishGoogleLoginRequest { code, nonce, verifier, redirect_uri } = request.into_inner();
        let (code, nonce, verifier) = (Secret::new(code), Secret::new(nonce), Secret::new(verifier));
        let response = AuthorizationResponse { code, nonce, verifier, redirect_uri };
        let outcome = self.0.finish_google(response).await?;
        Ok(Response::new(wire::FinishGoogleLoginResponse { outcome: Some(outcome.into()) }))
    }

    async fn register_with_google(
        &self,
        request: Request<wire::RegisterWithGoogleRequest>,
    ) -> Result<Response<wire::RegisterWithGoogleResponse>, Status> {
        let source = DeviceSource::from_request(&request);
        let wire::RegisterWithGoogleRequest { ticket, notice_version, device } = request.into_inner();
        let device = source.device(device);
        let tokens = self.0.register_with_google(&Secret::new(ticket), notice_version, device).await?;
        Ok(Response::new(wire::RegisterWithGoogleResponse { tokens: Some(tokens.into()) }))
    }

    async fn link_google(
        &self,
        request: Request<wire::LinkGoogleRequest>,
    ) -> Result<Response<wire::LinkGoogleResponse>, Status> {
        let source = DeviceSource::from_request(&request);
        let wire::LinkGoogleRequest { ticket, password, device } = request.into_inner();
        let device = source.device(device);
        let outcome = self.0.link_google(&Secret::new(ticket), Secret::new(password), device).await?;
        let (tokens, challenge) = encode_outcome(outcome);
        Ok(Response::new(wire::LinkGoogleResponse { tokens, challenge }))
    }

    async fn check_link_token(
        &self,
        request: Request<wire::CheckLinkTokenRequest>,
    ) -> Result<Response<wire::CheckLinkTokenResponse>, Status> {
        let wire::CheckLinkTokenRequest { token, require_confirmed_email } = request.into_inner();
        let Account { name, email, .. } = self.0.check_link_token(&token, require_confirmed_email).await?;
        Ok(Response::new(wire::CheckLinkTokenResponse { name, email }))
    }

    async fn exchange_login_token(
        &self,
        request: Request<wire::ExchangeLoginTokenRequest>,
    ) -> Result<Response<wire::ExchangeLoginTokenResponse>, Status> {
        let source = DeviceSource::from_request(&request);
        let wire::ExchangeLoginTokenRequest { token, device, require_confirmed_email } = request.into_inner();
        let device = source.device(device);
        let outcome = self.0.exchange_login_token(&token, require_confirmed_email, device).await?;
        let (tokens, challenge) = encode_outcome(outcome);
        Ok(Response::new(wire::ExchangeLoginTokenResponse { tokens, challenge }))
    }

    async fn create_handoff(
        &self,
        request: Request<wire::CreateHandoffRequest>,
    ) -> Result<Response<wire::CreateHandoffResponse>, Status> {
        let token = self.0.create_handoff_token(Caller::from_request(&request)?.require_session()?)?.token;
        Ok(Response::new(wire::CreateHandoffResponse { token }))
    }

    async fn start_analytics_session(
        &self,
        request: Request<wire::StartAnalyticsSessionRequest>,
    ) -> Result<Response<wire::StartAnalyticsSessionResponse>, Status> {
        let session = self.0.start_analytics_session(&request.into_inner().token).await?;
        let expires_at = Some(timestamp(session.expires_at));
        Ok(Response::new(wire::StartAnalyticsSessionResponse { access_token: session.token, expires_at }))
    }

    async fn create_tax_link(
        &self,
        request: Request<wire::CreateTaxLinkRequest>,
    ) -> Result<Response<wire::CreateTaxLinkResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?.clone();
        let wire::CreateTaxLinkRequest { recipient, year, broker_accounts, ttl_days } = request.into_inner();
        let new = NewTaxLink::parse(&recipient, year, broker_accounts, ttl_days).map_err(Error::Invalid)?;
        let (link, token) = self.0.create_tax_link(&trader, new).await?;
        let (link, token) = (Some(encode_tax_link(link)), token.expose().to_owned());
        Ok(Response::new(wire::CreateTaxLinkResponse { link, token }))
    }

    async fn list_tax_links(
        &self,
        request: Request<wire::ListTaxLinksRequest>,
    ) -> Result<Response<wire::ListTaxLinksResponse>, Status> {
        let links = self.0.list_tax_links(Caller::from_request(&request)?.require_session()?).await?;
        Ok(Response::new(wire::ListTaxLinksResponse { links: links.into_iter().map(encode_tax_link).collect() }))
    }

    async fn revoke_tax_link(
        &self,
        request: Request<wire::RevokeTaxLinkRequest>,
    ) -> Result<Response<wire::RevokeTaxLinkResponse>, Status> {
        let trader = Caller::from_request(&request)?.require_session()?;
        self.0.revoke_tax_link(trader, &request.get_ref().link_id).await?;
        Ok(Response::new(wire::RevokeTaxLinkResponse {}))
    }

    async fn use_tax_link(
        &self,
        request: Request<wire::UseTaxLinkRequest>,
    ) -> Result<Response<wire::UseTaxLinkResponse>, Status> {
        // The token reads the whole account; an edge returns only the tax pack.
        if peer_address(&request).is_some() {
            return Err(failure::to_status(&AuthError::Forbidden));
        }
        let source = DeviceSource::from_request(&request);
        let action = parse_action(request.get_ref().action());
        let wire::UseTaxLinkRequest { token, device, .. } = request.into_inner();
        let (open, signed) = self.0.use_tax_link(&Secret::new(token), action, source.device(device)).await?;
        let link = Some(encode_tax_link(open.link));
        Ok(Response::new(wire::UseTaxLinkResponse { access_token: signed.token, link }))
    }
}
