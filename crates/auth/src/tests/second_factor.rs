//! Second factors: setup, the second step of a login, trusted devices, and authentication before sensitive actions.

use rpc::auth::v1::second_factor_proof::Proof;
use rpc::auth::v1::{
    self as wire, BeginPasskeyLogInRequest, BeginPasskeySetupRequest, BeginTotpSetupRequest,
    CheckReauthenticationRequest, CompleteLogInRequest, FinishPasskeySetupRequest, FinishTotpSetupRequest,
    GetSecondFactorsRequest, ReauthenticateRequest, RemoveSecondFactorRequest, RemoveTrustedDeviceRequest,
    ReplaceRecoveryCodesRequest, SecondFactorChallenge, SecondFactorProof,
};
use time::OffsetDateTime;
use totp_rs::{Builder, Secret};

use super::emails::{Inbox, NEW_PASSWORD, parse_token};
use super::login_throttle::{ASHA_EMAIL, HOME_ADDRESS, log_in_request};
use super::*;

const ORIGIN: &str = "https://tradebahi.example";

/// Account of Asha with an authenticator app.
pub(super) struct ProtectedAccount {
    pub(super) auth: Auth,
    pub(super) pool: PgPool,
    tokens: Tokens,
    pub(super) account_id: uuid::Uuid,
    /// Base32.
    pub(super) secret: String,
    recovery_codes: Vec<String>,
    inbox: Inbox,
}

/// Returns the code that an authenticator app shows some steps from now.
pub(super) fn code_after(secret: &str, steps: i64) -> String {
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build().unwrap();
    let time = OffsetDateTime::now_utc().unix_timestamp() + steps * 30;
    totp.generate(u64::try_from(time).unwrap()).to_string()
}

pub(super) fn code(code: impl Into<String>) -> Proof {
    Proof::Code(code.into())
}

impl Auth {
    async fn try_challenge(&mut self, address: &str, device_token: &str) -> Option<SecondFactorChallenge> {
        let request = log_in_request(address, ASHA_EMAIL, PASSWORD, device_token);
        let reply = self.client.log_in(request).await.unwrap().into_inner();
        assert_ne!(reply.tokens.is_some(), reply.challenge.is_some(), "one of both");
        reply.challenge
    }

    pub(super) async fn challenge(&mut self) -> String {
        self.try_challenge(HOME_ADDRESS, "").await.unwrap().token
    }

    async fn complete_from(
        &mut self,
        address: &str,
        token: &str,
        proof: Proof,
        trust_device: bool,
    ) -> Result<Tokens, Status> {
        let device =
            Device { user_agent: "Firefox".to_owned(), address: address.to_owned(), device_token: String::new() };
        let request = CompleteLogInRequest {
            token: token.to_owned(),
            proof: Some(SecondFactorProof { proof: Some(proof) }),
            trust_device,
            device: Some(device),
            origin: ORIGIN.to_owned(),
        };
        Ok(self.client.complete_log_in(request).await?.into_inner().tokens.unwrap())
    }

    pub(super) async fn complete(&mut self, token: &str, proof: Proof) -> Result<Tokens, Status> {
        self.complete_from(HOME_ADDRESS, token, proof, false).await
    }

    async fn begin_totp(&mut self, tokens: &Tokens) -> Result<wire::BeginTotpSetupResponse, Status> {
        let request = with_token(BeginTotpSetupRequest {}, &tokens.access_token);
        Ok(self.client.begin_totp_setup(request).await?.into_inner())
    }

    async fn finish_totp(&mut self, tokens: &Tokens, code: &str) -> Result<Vec<String>, Status> {
        let request = with_token(FinishTotpSetupRequest { code: code.to_owned() }, &tokens.access_token);
        Ok(self.client.finish_totp_setup(request).await?.into_inner().recovery_codes)
    }

    async fn remove_factor(&mut self, tokens: &Tokens, passkey_id: &str) -> Result<(), Status> {
        let request = RemoveSecondFactorRequest { passkey_id: passkey_id.to_owned() };
        self.client.remove_second_factor(with_token(request, &tokens.access_token)).await.map(drop)
    }

    async fn overview(&mut self, tokens: &Tokens) -> wire::GetSecondFactorsResponse {
        let request = with_token(GetSecondFactorsRequest {}, &tokens.access_token);
        self.client.get_second_factors(request).await.unwrap().into_inner()
    }

    pub(super) async fn reauthenticate(
        &mut self,
        tokens: &Tokens,
        password: &str,
        proof: Option<Proof>,
    ) -> Result<(), Status> {
        let request = ReauthenticateRequest {
            password: password.to_owned(),
            proof: proof.map(|proof| SecondFactorProof { proof: Some(proof) }),
            token: String::new(),
            origin: ORIGIN.to_owned(),
        };
        self.client.reauthenticate(with_token(request, &tokens.access_token)).await.map(drop)
    }

    async fn check_reauthentication(&mut self, tokens: &Tokens) -> Result<(), Status> {
        let request = with_token(CheckReauthenticationRequest {}, &tokens.access_token);
        self.client.check_reauthentication(request).await.map(drop)
    }
}

impl ProtectedAccount {
    async fn new(pool: PgPool) -> Self {
        Self::with_settings(pool, settings()).await
    }

    pub(super) async fn with_settings(pool: PgPool, settings: Settings) -> Self {
        let mut auth = start(pool.clone(), settings).await;
        let account_id = auth.client.register(asha()).await.unwrap().into_inner().account_id;
        let inbox = Inbox::new(&pool);
        inbox.receive_one().await;
        let tokens = auth.log_in().await;
        let secret = auth.begin_totp(&tokens).await.unwrap().secret;
        let recovery_codes = auth.finish_totp(&tokens, &code_after(&secret, -1)).await.unwrap();
        assert!(inbox.receive_one().await.contains("was added to your TradeBahi account"));
        Self { auth, pool, tokens, account_id: account_id.parse().unwrap(), secret, recovery_codes, inbox }
    }

    /// Lets codes of the current step be used again.
    pub(super) async fn forget_used_steps(&self) {
        sqlx::query("update auth.totp set last_used_step = 0").execute(&self.pool).await.unwrap();
    }

    pub(super) async fn log_in_with_code(&mut self, trust_device: bool) -> Tokens {
        self.forget_used_steps().await;
        let (token, code) = (self.auth.challenge().await, code(code_after(&self.secret, 0)));
        self.auth.complete_from(HOME_ADDRESS, &token, code, trust_device).await.unwrap()
    }

    /// Makes the last authentication of all sessions too old for sensitive actions.
    async fn age_sessions(&self) {
        sqlx::query("update auth.session set authenticated_at = now() - interval '10 minutes'")
            .execute(&self.pool)
            .await
            .unwrap();
    }
}

fn wrong(field: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), "WRONG".to_owned())]
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_new_device_needs_a_code_and_each_code_works_once(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool).await;
    let challenge = asha.auth.try_challenge(HOME_ADDRESS, "").await.unwrap();
    assert!(challenge.totp && challenge.recovery_code && !challenge.passkey);
    let used_in_setup = asha.auth.complete(&challenge.token, code(code_after(&asha.secret, -1))).await.unwrap_err();
    assert_eq!(fields(&used_in_setup), wrong("code"));
    let current = code_after(&asha.secret, 0);
    let tokens = asha.auth.complete(&challenge.token, code(&current)).await.unwrap();
    asha.auth.verify(&tokens).await.unwrap();
    let status = asha.auth.complete(&challenge.token, code(code_after(&asha.secret, 1))).await.unwrap_err();
    assert_eq!(reason(&status), "CHALLENGE_EXPIRED", "a challenge starts one session");
    let token = asha.auth.challenge().await;
    let status = asha.auth.complete(&token, code(&current)).await.unwrap_err();
    assert_eq!(fields(&status), wrong("code"), "a code works once");
    asha.auth.complete(&token, code(code_after(&asha.secret, 1))).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_concurrent_logins_cannot_share_a_code(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool).await;
    let mut logins = tokio::task::JoinSet::new();
    let current = code_after(&asha.secret, 0);
    for _ in 0..4 {
        let token = asha.auth.challenge().await;
        let request = CompleteLogInRequest {
            token,
            proof: Some(SecondFactorProof { proof: Some(code(&current)) }),
            ..CompleteLogInRequest::default()
        };
        let mut client = asha.auth.client.clone();
        logins.spawn(async move { client.complete_log_in(request).await.is_ok() });
    }
    assert_eq!(logins.join_all().await.into_iter().filter(|is_logged_in| *is_logged_in).count(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_wrong_codes_use_up_the_challenge_and_throttle_the_account_everywhere(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let token = asha.auth.challenge().await;
    let forget = async || {
        sqlx::query("delete from auth.failed_login").execute(&pool).await.unwrap();
    };
    for _ in 0..5 {
        forget().await;
        let status = asha.auth.complete(&token, code("000000")).await.unwrap_err();
        assert_eq!((status.code(), fields(&status)), (Code::InvalidArgument, wrong("code")));
    }
    forget().await;
    let status = asha.auth.complete(&token, code(code_after(&asha.secret, 0))).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "CHALLENGE_EXPIRED"));

    for guess in 0..5 {
        let token = asha.auth.try_challenge(&format!("203.0.{guess}.7"), "").await.unwrap().token;
        asha.auth.complete_from(&format!("203.0.{guess}.7"), &token, code("000000"), false).await.unwrap_err();
    }
    sqlx::query(
        "update auth.failed_login set throttled_until = now() + interval '1 hour' where source = 'second factor'",
    )
    .execute(&pool)
    .await
    .unwrap();
    let token = asha.auth.try_challenge("198.51.100.7", "").await.unwrap().token;
    for proof in [code(code_after(&asha.secret, 0)), Proof::RecoveryCode(asha.recovery_codes[0].clone())] {
        let status = asha.auth.complete_from("198.51.100.7", &token, proof, false).await.unwrap_err();
        assert_eq!(reason(&status), "LOGIN_THROTTLED", "from another network, with another challenge");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_challenge_is_bound_to_its_account_and_expires(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let ravi = RegisterRequest {
        name: "Ravi".to_owned(),
        email: "ravi@example.in".to_owned(),
        phone: "7000000001".to_owned(),
        ..super::asha()
    };
    asha.auth.client.register(ravi).await.unwrap();
    let ravis = asha.auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    let ravis_secret = asha.auth.begin_totp(&ravis).await.unwrap().secret;
    let ravis_codes = asha.auth.finish_totp(&ravis, &code_after(&ravis_secret, -1)).await.unwrap();

    let token = asha.auth.challenge().await;
    for proof in [code(code_after(&ravis_secret, 0)), Proof::RecoveryCode(ravis_codes[0].clone())] {
        let status = asha.auth.complete(&token, proof).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "the code of another account");
    }
    sqlx::query("update auth.second_factor_challenge set expires_at = now()").execute(&pool).await.unwrap();
    for token in [token.as_str(), "", "made up", &ravis.refresh_token] {
        let status = asha.auth.complete(token, code(code_after(&asha.secret, 0))).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "CHALLENGE_EXPIRED"));
    }
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.second_factor_challenge").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_recovery_code_works_once_and_its_use_is_told_by_email(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    assert_eq!(asha.recovery_codes.len(), 10);
    let typed = asha.recovery_codes[0].to_uppercase().replace('-', " ");
    let token = asha.auth.challenge().await;
    asha.auth.complete(&token, Proof::RecoveryCode(typed.clone())).await.unwrap();
    assert!(asha.inbox.receive_one().await.contains("A recovery code was used"));
    let token = asha.auth.challenge().await;
    let status = asha.auth.complete(&token, Proof::RecoveryCode(typed)).await.unwrap_err();
    assert_eq!(fields(&status), wrong("recovery_code"));
    assert_eq!(asha.auth.overview(&asha.tokens).await.recovery_codes_left, 9);
    let stored: Vec<String> = sqlx::query_scalar("select encode(code_hash, 'escape') from auth.recovery_code")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert!(stored.iter().all(|stored| !asha.recovery_codes.contains(stored)), "stored as hashes");

    let request = with_token(ReplaceRecoveryCodesRequest {}, &asha.tokens.access_token);
    let new = asha.auth.client.replace_recovery_codes(request).await.unwrap().into_inner().recovery_codes;
    assert_eq!(asha.auth.overview(&asha.tokens).await.recovery_codes_left, 10);
    let status = asha.auth.complete(&token, Proof::RecoveryCode(asha.recovery_codes[1].clone())).await.unwrap_err();
    assert_eq!(fields(&status), wrong("recovery_code"), "replaced");
    asha.auth.complete(&token, Proof::RecoveryCode(new[1].clone())).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_trusted_device_needs_no_code_until_the_trust_ends(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let device = asha.log_in_with_code(true).await.device_token;
    let other = asha.log_in_with_code(false).await.device_token;
    assert!(asha.auth.try_challenge(HOME_ADDRESS, &device).await.is_none());
    for unknown in [other.as_str(), "", "made up"] {
        assert!(asha.auth.try_challenge(HOME_ADDRESS, unknown).await.is_some());
    }
    let request = log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, &device);
    let on_device = asha.auth.client.log_in(request).await.unwrap().into_inner().tokens.unwrap();
    let status = asha.auth.check_reauthentication(&on_device).await.unwrap_err();
    assert_eq!(reason(&status), "REAUTHENTICATION_REQUIRED", "the trust is not enough for sensitive actions");

    let trusted = asha.auth.overview(&on_device).await.trusted_devices;
    assert_eq!(trusted.len(), 1);
    let days = (trusted[0].expires_at.unwrap().seconds - trusted[0].created_at.unwrap().seconds) / 86_400;
    assert_eq!((trusted[0].user_agent.as_str(), days), ("Firefox", 30));
    let remove = |id: &str| {
        let request = RemoveTrustedDeviceRequest { trusted_device_id: id.to_owned() };
        with_token(request, &on_device.access_token)
    };
    for unknown in ["x", "01a1fac0-13ad-72f4-85de-7c0fc854675b"] {
        let status = asha.auth.client.remove_trusted_device(remove(unknown)).await.unwrap_err();
        assert_eq!(reason(&status), "TRUSTED_DEVICE_NOT_FOUND");
    }
    asha.auth.client.remove_trusted_device(remove(&trusted[0].trusted_device_id)).await.unwrap();
    assert!(asha.auth.try_challenge(HOME_ADDRESS, &device).await.is_some(), "removed");

    let device = asha.log_in_with_code(true).await.device_token;
    sqlx::query("update auth.trusted_device set expires_at = now()").execute(&pool).await.unwrap();
    assert!(asha.auth.try_challenge(HOME_ADDRESS, &device).await.is_some(), "expired");
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.trusted_device").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_presented_device_token_is_never_trusted_itself(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool).await;
    let known_to_others = asha.log_in_with_code(false).await.device_token;
    let token = asha.auth.try_challenge(HOME_ADDRESS, &known_to_others).await.unwrap().token;
    asha.forget_used_steps().await;
    let device = Some(Device { device_token: known_to_others.clone(), ..Device::default() });
    let request = CompleteLogInRequest {
        token,
        proof: Some(SecondFactorProof { proof: Some(code(code_after(&asha.secret, 0))) }),
        trust_device: true,
        device,
        origin: String::new(),
    };
    let tokens = asha.auth.client.complete_log_in(request).await.unwrap().into_inner().tokens.unwrap();
    assert_ne!(tokens.device_token, known_to_others);
    assert!(asha.auth.try_challenge(HOME_ADDRESS, &known_to_others).await.is_some());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_new_password_ends_trust_and_waiting_logins(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let here = asha.log_in_with_code(true).await;
    let waiting = asha.auth.challenge().await;
    asha.auth.change_password(&here, PASSWORD, NEW_PASSWORD).await.unwrap();
    asha.forget_used_steps().await;
    let status = asha.auth.complete(&waiting, code(code_after(&asha.secret, 0))).await.unwrap_err();
    assert_eq!(reason(&status), "CHALLENGE_EXPIRED");
    let request = log_in_request(HOME_ADDRESS, ASHA_EMAIL, NEW_PASSWORD, &here.device_token);
    assert!(asha.auth.client.log_in(request).await.unwrap().into_inner().challenge.is_some());

    asha.inbox.receive_all().await;
    asha.auth.request_password_reset(ASHA_EMAIL).await;
    let link = parse_token(&asha.inbox.receive_one().await, "/reset-password");
    asha.auth.reset_password(&link, PASSWORD).await.unwrap();
    assert!(asha.auth.try_challenge(HOME_ADDRESS, "").await.is_some(), "a reset keeps the second factor");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_sensitive_actions_need_a_recent_second_factor(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let tokens = asha.log_in_with_code(false).await;
    asha.auth.check_reauthentication(&tokens).await.unwrap();
    asha.age_sessions().await;
    for status in [
        asha.auth.change_password(&tokens, PASSWORD, NEW_PASSWORD).await.unwrap_err(),
        asha.auth.close(&tokens, PASSWORD).await.unwrap_err(),
        asha.auth.update(&tokens, None, Some("7000000002")).await.unwrap_err(),
        asha.auth.remove_factor(&tokens, "").await.unwrap_err(),
        asha.auth.begin_totp(&tokens).await.unwrap_err(),
        asha.auth.finish_totp(&tokens, "000000").await.unwrap_err(),
        asha.auth.check_reauthentication(&tokens).await.unwrap_err(),
        asha.auth
            .client
            .replace_recovery_codes(with_token(ReplaceRecoveryCodesRequest {}, &tokens.access_token))
            .await
            .unwrap_err(),
        asha.auth
            .client
            .begin_passkey_setup(with_token(
                BeginPasskeySetupRequest { origin: ORIGIN.to_owned() },
                &tokens.access_token,
            ))
            .await
            .unwrap_err(),
    ] {
        assert_eq!(
            (status.code(), reason(&status).as_str()),
            (Code::PermissionDenied, "REAUTHENTICATION_REQUIRED"),
            "{status:?}"
        );
    }
    // The name and the unchanged number are not sensitive.
    asha.auth.update(&tokens, Some("Asha Iyer"), Some("9820041537")).await.unwrap();

    asha.forget_used_steps().await;
    let current = code_after(&asha.secret, 0);
    let status = asha.auth.reauthenticate(&tokens, "wrong", Some(code(&current))).await.unwrap_err();
    assert_eq!(fields(&status), wrong("password"));
    let status = asha.auth.reauthenticate(&tokens, PASSWORD, None).await.unwrap_err();
    assert_eq!(fields(&status), [("code".to_owned(), "REQUIRED".to_owned())]);
    let status = asha.auth.reauthenticate(&tokens, PASSWORD, Some(code("000000"))).await.unwrap_err();
    assert_eq!(fields(&status), wrong("code"));
    asha.auth.check_reauthentication(&tokens).await.unwrap_err();
    asha.auth.reauthenticate(&tokens, PASSWORD, Some(code(&current))).await.unwrap();
    asha.auth.check_reauthentication(&tokens).await.unwrap();
    let status = asha.auth.check_reauthentication(&asha.tokens).await.unwrap_err();
    assert_eq!(reason(&status), "REAUTHENTICATION_REQUIRED", "only for this session");
    asha.auth.change_password(&tokens, PASSWORD, NEW_PASSWORD).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_an_account_without_a_second_factor_proves_its_password(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    sqlx::query("update auth.session set authenticated_at = null").execute(&pool).await.unwrap();
    assert!(auth.check_reauthentication(&tokens).await.is_err(), "a session from before the migration");
    assert_eq!(reason(&auth.begin_totp(&tokens).await.unwrap_err()), "REAUTHENTICATION_REQUIRED");
    auth.reauthenticate(&tokens, PASSWORD, None).await.unwrap();
    auth.check_reauthentication(&tokens).await.unwrap();
    sqlx::query("update auth.session set authenticated_at = null").execute(&pool).await.unwrap();
    // The password is part of the request.
    auth.change_password(&tokens, PASSWORD, NEW_PASSWORD).await.unwrap();
    sqlx::query("update auth.account set password_hash = null").execute(&pool).await.unwrap();
    assert_eq!(reason(&auth.reauthenticate(&tokens, "", None).await.unwrap_err()), "NO_PASSWORD");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_setup_counts_only_after_its_first_code(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    assert_eq!(reason(&auth.finish_totp(&tokens, "000000").await.unwrap_err()), "SETUP_EXPIRED");
    let abandoned = auth.begin_totp(&tokens).await.unwrap();
    assert!(abandoned.url.starts_with("otpauth://totp/TradeBahi:asha.rao%40example.in?secret="), "{abandoned:?}");
    assert!(auth.try_challenge(HOME_ADDRESS, "").await.is_none());
    let setup = auth.begin_totp(&tokens).await.unwrap();
    for wrong_code in [code_after(&abandoned.secret, 0), code_after(&setup.secret, 9), String::new()] {
        assert_eq!(fields(&auth.finish_totp(&tokens, &wrong_code).await.unwrap_err()), wrong("code"));
    }
    sqlx::query("update auth.totp set created_at = now() - interval '1 hour'").execute(&pool).await.unwrap();
    let current = code_after(&setup.secret, 0);
    assert_eq!(reason(&auth.finish_totp(&tokens, &current).await.unwrap_err()), "SETUP_EXPIRED");
    crate::delete_expired_rows(&pool).await;
    assert_eq!(count(&pool, "select count(*) from auth.totp").await, 0);

    let secret = auth.begin_totp(&tokens).await.unwrap().secret;
    auth.finish_totp(&tokens, &code_after(&secret, 0)).await.unwrap();
    assert_eq!(reason(&auth.begin_totp(&tokens).await.unwrap_err()), "TOTP_EXISTS");
    assert!(auth.overview(&tokens).await.totp_added_at.is_some());
    assert!(auth.try_challenge(HOME_ADDRESS, "").await.is_some());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_removing_the_last_second_factor_ends_codes_and_trust_and_sends_an_email(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let tokens = asha.log_in_with_code(true).await;
    for unknown in ["x", "01a1fac0-13ad-72f4-85de-7c0fc854675b"] {
        assert_eq!(reason(&asha.auth.remove_factor(&tokens, unknown).await.unwrap_err()), "SECOND_FACTOR_NOT_FOUND");
    }
    asha.auth.remove_factor(&tokens, "").await.unwrap();
    assert!(asha.inbox.receive_one().await.contains("was removed from your TradeBahi account"));
    assert!(asha.auth.try_challenge(HOME_ADDRESS, "").await.is_none());
    let overview = asha.auth.overview(&tokens).await;
    assert_eq!((overview.recovery_codes_left, overview.trusted_devices.len()), (0, 0));
    assert_eq!(reason(&asha.auth.remove_factor(&tokens, "").await.unwrap_err()), "SECOND_FACTOR_NOT_FOUND");
    let request = with_token(ReplaceRecoveryCodesRequest {}, &tokens.access_token);
    let status = asha.auth.client.replace_recovery_codes(request).await.unwrap_err();
    assert_eq!(reason(&status), "NO_SECOND_FACTOR");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_login_token_does_not_bypass_the_second_factor(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let service = service(&pool).await;
    let token = service.create_login_token(asha.account_id).await.unwrap().token;
    let request = wire::ExchangeLoginTokenRequest { token, ..Default::default() };
    let reply = asha.auth.client.exchange_login_token(request).await.unwrap().into_inner();
    assert!(reply.tokens.is_none(), "Google confirmed the identity only");
    asha.forget_used_steps().await;
    let code = code(code_after(&asha.secret, 0));
    asha.auth.complete(&reply.challenge.unwrap().token, code).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_closed_account_is_restored_only_with_its_second_factor(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let tokens = asha.tokens.clone();
    asha.auth.close(&tokens, PASSWORD).await.unwrap();
    let request = log_in_request(HOME_ADDRESS, ASHA_EMAIL, PASSWORD, "");
    let status = asha.auth.client.log_in(request.clone()).await.unwrap_err();
    assert_eq!(reason(&status), "ACCOUNT_CLOSED");
    let request = LogInRequest { restore: true, ..request };
    let token = asha.auth.client.log_in(request).await.unwrap().into_inner().challenge.unwrap().token;
    let closed = "select count(*) from auth.account where closed_at is not null";
    assert_eq!(count(&pool, closed).await, 1);
    asha.auth.complete(&token, code(code_after(&asha.secret, 0))).await.unwrap();
    assert_eq!(count(&pool, closed).await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_restore_keeps_second_factors_and_ends_trust(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let device = asha.log_in_with_code(true).await.device_token;
    let waiting = asha.auth.challenge().await;
    crate::revoke_restored_credentials(&mut pool.acquire().await.unwrap()).await.unwrap();
    let mut auth = super::auth(pool.clone()).await;
    asha.forget_used_steps().await;
    let status = auth.complete(&waiting, code(code_after(&asha.secret, 0))).await.unwrap_err();
    assert_eq!(reason(&status), "CHALLENGE_EXPIRED");
    let token = auth.try_challenge(HOME_ADDRESS, &device).await.unwrap().token;
    auth.complete(&token, code(code_after(&asha.secret, 0))).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_the_deletion_of_an_account_deletes_its_second_factors(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    asha.log_in_with_code(true).await;
    asha.auth.challenge().await;
    crate::delete_account(&pool, asha.account_id).await.unwrap();
    for table in ["totp", "passkey", "recovery_code", "trusted_device", "second_factor_challenge"] {
        let rows = format!("select count(*) from auth.{table}");
        let rows: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(rows)).fetch_one(&pool).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_forged_passkeys_are_rejected(pool: PgPool) {
    let mut asha = ProtectedAccount::new(pool.clone()).await;
    let access_token = asha.tokens.access_token.clone();
    let begin = |origin: &str| with_token(BeginPasskeySetupRequest { origin: origin.to_owned() }, &access_token);
    let status = asha.auth.client.begin_passkey_setup(begin("http://127.0.0.1:8080")).await.unwrap_err();
    assert_eq!(reason(&status), "PASSKEYS_UNAVAILABLE");
    for response in ["", "{}", r#"{"rawId":"AQ","response":{"clientDataJSON":"e30","attestationObject":"oA"}}"#] {
        let begun = asha.auth.client.begin_passkey_setup(begin(ORIGIN)).await.unwrap().into_inner();
        let options: serde_json::Value = serde_json::from_str(&begun.options).unwrap();
        assert_eq!(options["rp"]["id"], "tradebahi.example");
        let finish = |name: &str| {
            let request = FinishPasskeySetupRequest {
                token: begun.token.clone(),
                name: name.to_owned(),
                response: response.to_owned(),
                origin: ORIGIN.to_owned(),
            };
            with_token(request, &access_token)
        };
        let status = asha.auth.client.finish_passkey_setup(finish(" ")).await.unwrap_err();
        assert_eq!(fields(&status), [("passkey_name".to_owned(), "REQUIRED".to_owned())]);
        let status = asha.auth.client.finish_passkey_setup(finish("Phone")).await.unwrap_err();
        assert_eq!(fields(&status), wrong("passkey"));
        let status = asha.auth.client.finish_passkey_setup(finish("Phone")).await.unwrap_err();
        assert_eq!(reason(&status), "SETUP_EXPIRED", "a setup can be finished once");
    }
    let token = asha.auth.challenge().await;
    let request = BeginPasskeyLogInRequest { token: token.clone(), origin: ORIGIN.to_owned() };
    let status = asha.auth.client.begin_passkey_log_in(request).await.unwrap_err();
    assert_eq!(reason(&status), "SECOND_FACTOR_NOT_FOUND", "there is no passkey");
    let status = asha.auth.complete(&token, Proof::Passkey("{}".to_owned())).await.unwrap_err();
    assert_eq!(fields(&status), wrong("passkey"));
}
