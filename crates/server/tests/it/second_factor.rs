//! Two-step verification over REST, with a software authenticator for passkeys.

use std::collections::BTreeSet;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{Method, Request};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use time::OffsetDateTime;
use totp_rs::{Builder, Secret};

use crate::api_description::DocumentedResponse;
use crate::app::{App, PASSWORD, Reply};

const ORIGIN: &str = "http://localhost:8080";
const UNKNOWN_ID: &str = "00000000-0000-7000-8000-000000000000";
/// User present, user verified.
const USED_FLAGS: u8 = 0x05;
/// User present, user verified, attested credential data included.
const CREATED_FLAGS: u8 = 0x45;

/// Authenticator with one Ed25519 passkey, as a browser would present it.
struct SoftwareAuthenticator {
    key: Ed25519KeyPair,
    credential_id: [u8; 16],
    counter: u32,
    /// Origin of the page that uses it.
    origin: &'static str,
}

impl SoftwareAuthenticator {
    fn new(id: u8) -> Self {
        Self { key: Ed25519KeyPair::generate().unwrap(), credential_id: [id; 16], counter: 1, origin: ORIGIN }
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data =
            json!({ "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false });
        data.to_string().into_bytes()
    }

    fn authenticator_data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest("localhost").to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// Returns the response to `navigator.credentials.create`, without attestation.
    fn create(&self, options: &Value) -> String {
        let mut data = self.authenticator_data(CREATED_FLAGS);
        data.extend([0; 16]);
        data.extend([0, 16]);
        data.extend(self.credential_id);
        // COSE key as CBOR: {1: 1 (OKP), 3: -8 (EdDSA), -1: 6 (Ed25519), -2: x}.
        data.extend([0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20]);
        data.extend(self.key.public_key().as_ref());
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}.
        let mut attestation = b"\xA3\x63fmt\x64none\x67attStmt\xA0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        let response = json!({
            "clientDataJSON": encode(self.client_data("webauthn.create", options)),
            "attestationObject": encode(attestation),
        });
        self.credential(response)
    }

    /// Returns the response to `navigator.credentials.get`.
    fn get(&mut self, options: &Value) -> String {
        self.counter += 1;
        let client_data = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(USED_FLAGS);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let response = json!({
            "clientDataJSON": encode(client_data),
            "authenticatorData": encode(data),
            "signature": encode(self.key.sign(&signed)),
        });
        self.credential(response)
    }

    fn credential(&self, response: Value) -> String {
        let id = encode(self.credential_id);
        json!({ "id": id, "rawId": id, "type": "public-key", "response": response }).to_string()
    }
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Browser of a trader.
struct Browser<'a> {
    app: &'a App,
    pool: &'a PgPool,
    email: String,
    token: String,
    covered: BTreeSet<DocumentedResponse>,
}

impl<'a> Browser<'a> {
    async fn new(app: &'a App, pool: &'a PgPool) -> Self {
        let trader = app.register_trader().await;
        Self { app, pool, email: trader.email, token: trader.token, covered: BTreeSet::new() }
    }

    async fn send(&mut self, method: Method, path: &str, cookie: &str, body: String) -> Reply {
        let request = Request::builder().method(method).uri(path).header("host", "localhost:8080");
        let mut request = request.header("cookie", cookie).header("content-type", "application/json");
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        let reply = self.app.send(request.body(Body::from(body)).unwrap()).await;
        self.covered.extend(reply.documented.clone());
        reply
    }

    async fn post(&mut self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, "", body.to_string()).await
    }

    async fn delete(&mut self, path: &str) -> Reply {
        self.send(Method::DELETE, path, "", String::new()).await
    }

    /// Logs in with the password. Returns the challenge cookie.
    async fn challenge(&mut self) -> String {
        let body = json!({ "email": self.email, "password": PASSWORD });
        let reply = self.post("/auth/login", body).await.expect_problem(403, "second_factor_required");
        reply.cookie()
    }

    async fn complete(&mut self, cookie: &str, body: Value) -> Reply {
        self.send(Method::POST, "/auth/login/second-factor", cookie, body.to_string()).await
    }

    async fn passkey_options(&mut self, cookie: &str) -> Value {
        let reply = self.send(Method::POST, "/auth/login/passkey-options", cookie, String::new()).await;
        assert_eq!(reply.status, 200, "{:#}", reply.json());
        reply.json()["options"].clone()
    }

    /// Sets up an authenticator app. Returns its secret and the recovery codes.
    async fn add_app(&mut self) -> (String, Value) {
        let setup = self.post("/account/authenticator-app", json!({})).await.json();
        let secret = setup["secret"].as_str().unwrap().to_owned();
        let confirmed =
            self.post("/account/authenticator-app/confirm", json!({ "code": code_after(&secret, -1) })).await;
        assert_eq!(confirmed.status, 200, "{:#}", confirmed.json());
        (secret, confirmed.json()["recoveryCodes"].clone())
    }

    async fn try_add_passkey(&mut self, authenticator: &SoftwareAuthenticator) -> Reply {
        let begun = self.post("/account/passkeys/options", json!({})).await.json();
        let passkey = authenticator.create(&begun["options"]);
        self.post("/account/passkeys", json!({ "token": begun["token"], "name": "My phone", "passkey": passkey })).await
    }

    async fn add_passkey(&mut self, authenticator: &SoftwareAuthenticator) -> Value {
        let added = self.try_add_passkey(authenticator).await;
        assert_eq!(added.status, 200, "{:#}", added.json());
        added.json()["recoveryCodes"].clone()
    }

    async fn factors(&mut self) -> Value {
        self.send(Method::GET, "/account/second-factors", "", String::new()).await.json()
    }

    async fn execute(&self, statement: &'static str) {
        sqlx::query(statement).execute(self.pool).await.unwrap();
    }
}

/// Returns the code that an authenticator app shows some steps from now.
pub fn code_after(secret: &str, steps: i64) -> String {
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build().unwrap();
    totp.generate(u64::try_from(OffsetDateTime::now_utc().unix_timestamp() + steps * 30).unwrap()).to_string()
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_passkey_completes_a_login_once(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut asha = Browser::new(&app, &pool).await;
    let mut phone = SoftwareAuthenticator::new(1);
    assert_eq!(asha.add_passkey(&phone).await.as_array().unwrap().len(), 10);
    asha.token.clear();
    let cookie = asha.challenge().await;
    assert!(cookie.starts_with("second-factor="), "{cookie}");
    let options = asha.passkey_options(&cookie).await;
    assert_eq!(options["allowCredentials"][0]["id"], encode(phone.credential_id));
    let assertion = phone.get(&options);
    let reply = asha.complete(&cookie, json!({ "passkey": assertion })).await;
    assert_eq!(reply.status, 200, "{:#}", reply.json());
    asha.complete(&cookie, json!({ "passkey": assertion })).await.expect_problem(401, "challenge_expired");
    let cookie = asha.challenge().await;
    asha.passkey_options(&cookie).await;
    asha.complete(&cookie, json!({ "passkey": assertion })).await.expect_problem(422, "invalid");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_copied_foreign_and_phished_passkeys_are_rejected(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut asha = Browser::new(&app, &pool).await;
    let mut phone = SoftwareAuthenticator::new(1);
    asha.add_passkey(&phone).await;
    let cookie = asha.challenge().await;

    let mut forged = SoftwareAuthenticator { counter: 10, ..SoftwareAuthenticator::new(1) };
    let options = asha.passkey_options(&cookie).await;
    let forged = forged.get(&options);
    asha.complete(&cookie, json!({ "passkey": forged })).await.expect_problem(422, "invalid");
    let mut unknown = SoftwareAuthenticator::new(9);
    let unknown = unknown.get(&options);
    asha.complete(&cookie, json!({ "passkey": unknown })).await.expect_problem(422, "invalid");
    phone.origin = "http://phishing.example";
    let phished = phone.get(&options);
    asha.complete(&cookie, json!({ "passkey": phished })).await.expect_problem(422, "invalid");
    phone.origin = ORIGIN;

    let right = phone.get(&options);
    assert_eq!(asha.complete(&cookie, json!({ "passkey": right })).await.status, 200);
    // A copy of the authenticator counts from an older state.
    phone.counter -= 1;
    let cookie = asha.challenge().await;
    let options = asha.passkey_options(&cookie).await;
    let copied = phone.get(&options);
    asha.complete(&cookie, json!({ "passkey": copied })).await.expect_problem(422, "invalid");

    let mut ravi = Browser::new(&app, &pool).await;
    let mut ravis = SoftwareAuthenticator::new(2);
    ravi.add_passkey(&ravis).await;
    let options = asha.passkey_options(&cookie).await;
    let foreign = ravis.get(&options);
    asha.execute("delete from auth.failed_login").await;
    asha.complete(&cookie, json!({ "passkey": foreign })).await.expect_problem(422, "invalid");
    let id = asha.factors().await["passkeys"][0]["id"].as_str().unwrap().to_owned();
    ravi.delete(&format!("/account/passkeys/{id}")).await.expect_problem(404, "second_factor_not_found");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_phished_setup_of_a_passkey_is_rejected(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut asha = Browser::new(&app, &pool).await;
    let phished = SoftwareAuthenticator { origin: "http://phishing.example", ..SoftwareAuthenticator::new(1) };
    asha.try_add_passkey(&phished).await.expect_problem(422, "invalid");
    let mut ravi = Browser::new(&app, &pool).await;
    let begun = ravi.post("/account/passkeys/options", json!({})).await.json();
    let passkey = SoftwareAuthenticator::new(1).create(&begun["options"]);
    let foreign = json!({ "token": begun["token"], "name": "My phone", "passkey": passkey });
    asha.post("/account/passkeys", foreign).await.expect_problem(422, "setup_expired");
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_trusted_device_cookie_replaces_the_code(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut asha = Browser::new(&app, &pool).await;
    let (secret, _) = asha.add_app().await;
    let cookie = asha.challenge().await;
    let reply = asha.complete(&cookie, json!({ "code": code_after(&secret, 0), "trustDevice": true })).await;
    let cookies: Vec<&str> =
        reply.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap()).collect();
    assert!(cookies.iter().any(|cookie| cookie.starts_with("second-factor=; ") && cookie.contains("Max-Age=0")));
    let device = cookies.iter().find(|cookie| cookie.starts_with("device=")).unwrap().split(';').next().unwrap();
    let login = json!({ "email": asha.email, "password": PASSWORD }).to_string();
    assert_eq!(asha.send(Method::POST, "/auth/login", device, login.clone()).await.status, 200);
    let id = asha.factors().await["trustedDevices"][0]["id"].as_str().unwrap().to_owned();
    let mut ravi = Browser::new(&app, &pool).await;
    let path = format!("/account/trusted-devices/{id}");
    ravi.delete(&path).await.expect_problem(404, "trusted_device_not_found");
    assert_eq!(asha.delete(&path).await.status, 204);
    asha.send(Method::POST, "/auth/login", device, login).await.expect_problem(403, "second_factor_required");
}

/// Gets every documented response of two-step verification.
pub async fn cover(app: &App, pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let mut asha = Browser::new(app, pool).await;
    cover_rejections(&mut asha).await;
    cover_setup(&mut asha).await;
    cover_logins(&mut asha).await;
    cover_reauthentication(&mut asha).await;
    covered.append(&mut asha.covered);
}

async fn cover_rejections(asha: &mut Browser<'_>) {
    let token = std::mem::take(&mut asha.token);
    for path in [
        "/account/authenticator-app",
        "/account/authenticator-app/confirm",
        "/account/passkeys",
        "/account/passkeys/options",
        "/account/recovery-codes",
        "/account/reauthenticate",
        "/account/reauthenticate/passkey-options",
    ] {
        asha.post(path, json!({})).await.expect_problem(401, "unauthenticated");
    }
    for path in ["/account/authenticator-app", "/account/passkeys/x", "/account/trusted-devices/x"] {
        asha.delete(path).await.expect_problem(401, "unauthenticated");
    }
    asha.send(Method::GET, "/account/second-factors", "", String::new()).await.expect_problem(401, "unauthenticated");
    for path in ["/auth/login/second-factor", "/auth/login/passkey-options"] {
        asha.post(path, json!({ "code": "1" })).await.expect_problem(401, "challenge_expired");
    }
    asha.post("/auth/login/second-factor", json!({})).await.expect_problem(422, "invalid");
    asha.post("/auth/login/second-factor", json!({ "code": "1", "recoveryCode": "2" }))
        .await
        .expect_problem(422, "invalid");
    asha.token = token;
    for path in [
        "/auth/login/second-factor",
        "/account/authenticator-app/confirm",
        "/account/passkeys",
        "/account/reauthenticate",
    ] {
        asha.send(Method::POST, path, "", "{".to_owned()).await.expect_problem(400, "malformed");
    }
    asha.delete("/account/authenticator-app").await.expect_problem(404, "second_factor_not_found");
    asha.delete(&format!("/account/passkeys/{UNKNOWN_ID}")).await.expect_problem(404, "second_factor_not_found");
    asha.delete(&format!("/account/trusted-devices/{UNKNOWN_ID}"))
        .await
        .expect_problem(404, "trusted_device_not_found");
    asha.post("/account/reauthenticate/passkey-options", json!({}))
        .await
        .expect_problem(404, "second_factor_not_found");
}

async fn cover_setup(asha: &mut Browser<'_>) {
    asha.execute("update auth.session set authenticated_at = null").await;
    for path in ["/account/authenticator-app", "/account/passkeys/options", "/account/recovery-codes"] {
        asha.post(path, json!({})).await.expect_problem(403, "reauthentication_required");
    }
    asha.post("/account/authenticator-app/confirm", json!({ "code": "1" }))
        .await
        .expect_problem(403, "reauthentication_required");
    asha.post("/account/passkeys", json!({ "token": "x", "name": "x", "passkey": "{}" }))
        .await
        .expect_problem(403, "reauthentication_required");
    for path in ["/account/authenticator-app", "/account/passkeys/x"] {
        asha.delete(path).await.expect_problem(403, "reauthentication_required");
    }
    asha.send(Method::GET, "/account/export", "", String::new()).await.expect_problem(403, "reauthentication_required");
    asha.send(Method::PATCH, "/account", "", json!({ "phone": "7000000099" }).to_string())
        .await
        .expect_problem(403, "reauthentication_required");
    asha.post("/account/reauthenticate", json!({ "password": "wrong" })).await.expect_problem(422, "invalid");
    assert_eq!(asha.post("/account/reauthenticate", json!({ "password": PASSWORD })).await.status, 204);
    asha.post("/account/authenticator-app/confirm", json!({ "code": "1" })).await.expect_problem(422, "setup_expired");
    let at_address = Request::post("/account/passkeys/options").header("host", "127.0.0.1:8080");
    let at_address = at_address.header("authorization", format!("Bearer {}", asha.token)).body(Body::empty()).unwrap();
    let reply = asha.app.send(at_address).await.expect_problem(422, "passkeys_unavailable");
    asha.covered.extend(reply.documented);
    asha.post("/account/passkeys", json!({ "token": "x", "name": "x", "passkey": "{}" }))
        .await
        .expect_problem(422, "setup_expired");
}

async fn cover_logins(asha: &mut Browser<'_>) {
    let (secret, recovery_codes) = asha.add_app().await;
    asha.post("/account/authenticator-app", json!({})).await.expect_problem(409, "totp_exists");
    let cookie = asha.challenge().await;
    let no_passkey = asha.send(Method::POST, "/auth/login/passkey-options", &cookie, String::new()).await;
    no_passkey.expect_problem(404, "second_factor_not_found");
    assert_eq!(asha.complete(&cookie, json!({ "recoveryCode": recovery_codes[0] })).await.status, 200);
    let mut phone = SoftwareAuthenticator::new(3);
    assert_eq!(asha.add_passkey(&phone).await, json!([]), "the account has recovery codes");
    let cookie = asha.challenge().await;
    let options = asha.passkey_options(&cookie).await;
    let assertion = phone.get(&options);
    let reply = asha.complete(&cookie, json!({ "passkey": assertion, "trustDevice": true })).await;
    asha.token = reply.json()["data"]["token"].as_str().unwrap().to_owned();
    let factors = asha.factors().await;
    assert_eq!((&factors["recoveryCodesLeft"], &factors["passkeys"][0]["name"]), (&json!(9), &json!("My phone")));
    assert_eq!(
        asha.post("/account/recovery-codes", json!({})).await.json()["recoveryCodes"][9].as_str().unwrap().len(),
        29
    );

    let begun = asha.post("/account/reauthenticate/passkey-options", json!({})).await.json();
    let assertion = phone.get(&begun["options"]);
    let proof = json!({ "password": PASSWORD, "token": begun["token"], "passkey": assertion });
    assert_eq!(asha.post("/account/reauthenticate", proof.clone()).await.status, 204);
    asha.post("/account/reauthenticate", proof).await.expect_problem(422, "invalid");

    let cookie = asha.challenge().await;
    asha.execute("update auth.totp set last_used_step = 0").await;
    for _ in 0..4 {
        asha.complete(&cookie, json!({ "code": "000000" })).await;
    }
    let reply = asha.complete(&cookie, json!({ "code": code_after(&secret, 0) })).await;
    reply.expect_problem(429, "login_throttled");
    asha.execute("delete from auth.failed_login").await;
}

async fn cover_reauthentication(asha: &mut Browser<'_>) {
    let factors = asha.factors().await;
    let (passkey, device) = (&factors["passkeys"][0]["id"], &factors["trustedDevices"][0]["id"]);
    assert_eq!(asha.delete(&format!("/account/trusted-devices/{}", device.as_str().unwrap())).await.status, 204);
    assert_eq!(asha.delete(&format!("/account/passkeys/{}", passkey.as_str().unwrap())).await.status, 204);
    assert_eq!(asha.delete("/account/authenticator-app").await.status, 204);
    for _ in 0..5 {
        asha.post("/account/reauthenticate", json!({ "password": "wrong" })).await.expect_problem(422, "invalid");
    }
    let reply = asha.post("/account/reauthenticate", json!({ "password": PASSWORD })).await;
    reply.expect_problem(429, "login_throttled");
    asha.execute("update auth.account set password_hash = null").await;
    asha.post("/account/reauthenticate", json!({})).await.expect_problem(403, "no_password");
}
