//! Tax links: creation, use, access log and end.

use rpc::auth::v1::auth_service_server::AuthService as _;
use rpc::auth::v1::{
    ChangePasswordRequest, CloseAccountRequest, CreateTaxLinkRequest, CreateTaxLinkResponse, ListTaxLinksRequest,
    RevokeTaxLinkRequest, TaxLink, TaxLinkAction, UseTaxLinkRequest, UseTaxLinkResponse,
};
use rpc::caller::Bearer;

use super::*;

fn for_mehta() -> CreateTaxLinkRequest {
    CreateTaxLinkRequest {
        recipient: "Mehta & Co".to_owned(),
        year: 2025,
        broker_accounts: vec!["zerodha".to_owned(), "groww-2".to_owned()],
        ttl_days: 30,
    }
}

impl Auth {
    async fn create_link(
        &mut self,
        tokens: &Tokens,
        request: CreateTaxLinkRequest,
    ) -> Result<CreateTaxLinkResponse, Status> {
        Ok(self.client.create_tax_link(with_token(request, &tokens.access_token)).await?.into_inner())
    }

    async fn use_link(&mut self, token: &str, action: TaxLinkAction) -> Result<UseTaxLinkResponse, Status> {
        let device =
            Device { user_agent: "Firefox".to_owned(), address: "203.0.113.7".to_owned(), ..Device::default() };
        let request = UseTaxLinkRequest { token: token.to_owned(), action: action.into(), device: Some(device) };
        Ok(self.client.use_tax_link(request).await?.into_inner())
    }

    async fn list_links(&mut self, tokens: &Tokens) -> Vec<TaxLink> {
        let request = with_token(ListTaxLinksRequest {}, &tokens.access_token);
        self.client.list_tax_links(request).await.unwrap().into_inner().links
    }

    async fn assert_expired(&mut self, token: &str) {
        let status = self.use_link(token, TaxLinkAction::View).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "TAX_LINK_EXPIRED"));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_gives_its_year_and_accounts_and_logs_each_use(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let created = auth.create_link(&tokens, for_mehta()).await.unwrap();
    for action in [TaxLinkAction::View, TaxLinkAction::View, TaxLinkAction::Download] {
        let used = auth.use_link(&created.token, action).await.unwrap();
        let link = used.link.unwrap();
        assert_eq!((link.recipient.as_str(), link.year), ("Mehta & Co", 2025));
        assert_eq!(link.broker_accounts, ["zerodha", "groww-2"]);
        auth.verifier.refresh(&mut auth.client).await.unwrap();
        let bearer = auth.verifier.verify(&used.access_token).unwrap();
        assert!(matches!(bearer, Bearer::Analytics(trader) if trader.account_id.to_string() == account_id));
    }
    let links = auth.list_links(&tokens).await;
    let uses: Vec<_> = links[0]
        .uses
        .iter()
        .map(|one| (one.action(), one.uses, one.user_agent.as_str(), one.address.as_str()))
        .collect();
    assert_eq!(
        uses,
        [
            (TaxLinkAction::Download, 1, "Firefox", "203.0.113.0/24"),
            (TaxLinkAction::View, 2, "Firefox", "203.0.113.0/24")
        ]
    );
    // Neither the secret nor the whole token is stored.
    let stored: String =
        sqlx::query_scalar("select string_agg(l::text, ' ') from auth.tax_link l").fetch_one(&pool).await.unwrap();
    assert!(!stored.contains(&created.token[22..]), "{stored}");
    let addresses = count(&pool, "select count(*) from auth.tax_link_use where address = '203.0.113.0/24'").await;
    assert_eq!(addresses, 2, "whole addresses are not stored");
    let queued = count(&pool, "select count(*) from auth.outbox where kind = 'tax-link-created'").await;
    assert_eq!(queued, 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_that_ended_expired_or_is_unknown_gives_nothing(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let (first, second) =
        (auth.create_link(&tokens, for_mehta()).await.unwrap(), auth.create_link(&tokens, for_mehta()).await.unwrap());
    let [account, secret] = [&first.token[..22], &first.token[22..]];
    for wrong in ["", "x", secret, &format!("{account}{}", "A".repeat(43)), &format!("{}{secret}", "A".repeat(22))] {
        auth.assert_expired(wrong).await;
    }
    let revoke = |link_id: String, tokens: &Tokens| with_token(RevokeTaxLinkRequest { link_id }, &tokens.access_token);
    let id = first.link.unwrap().link_id;
    for _ in 0..2 {
        auth.client.revoke_tax_link(revoke(id.clone(), &tokens)).await.unwrap();
    }
    auth.assert_expired(&first.token).await;
    for unknown in ["x".to_owned(), uuid::Uuid::nil().to_string()] {
        let status = auth.client.revoke_tax_link(revoke(unknown, &tokens)).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "TAX_LINK_NOT_FOUND"));
    }
    auth.use_link(&second.token, TaxLinkAction::View).await.unwrap();
    sqlx::query("update auth.tax_link set expires_at = now() where revoked_at is null").execute(&pool).await.unwrap();
    auth.assert_expired(&second.token).await;
    let links = auth.list_links(&tokens).await;
    assert_eq!(links.iter().map(|link| link.revoked_at.is_some()).collect::<Vec<_>>(), [false, true]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn another_account_cannot_end_or_see_a_link(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let created = auth.create_link(&tokens, for_mehta()).await.unwrap();
    let other = RegisterRequest { email: "ravi@example.in".to_owned(), phone: "9820041538".to_owned(), ..asha() };
    auth.client.register(other).await.unwrap();
    let other = auth.try_log_in("ravi@example.in", PASSWORD).await.unwrap();
    assert_eq!(auth.list_links(&other).await, []);
    let link_id = created.link.unwrap().link_id;
    let revoke = with_token(RevokeTaxLinkRequest { link_id }, &other.access_token);
    assert_eq!(reason(&auth.client.revoke_tax_link(revoke).await.unwrap_err()), "TAX_LINK_NOT_FOUND");
    auth.use_link(&created.token, TaxLinkAction::View).await.unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn closing_the_account_ends_links_for_good_and_a_new_password_does_not(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool).await;
    let tokens = auth.log_in().await;
    let created = auth.create_link(&tokens, for_mehta()).await.unwrap();
    let new = "Winter 77 wheat".to_owned();
    let change = ChangePasswordRequest {
        current_password: PASSWORD.to_owned(),
        password: new.clone(),
        confirm_password: new.clone(),
    };
    auth.client.change_password(with_token(change, &tokens.access_token)).await.unwrap();
    auth.use_link(&created.token, TaxLinkAction::View).await.unwrap();
    let close = CloseAccountRequest { password: new.clone() };
    auth.client.close_account(with_token(close, &tokens.access_token)).await.unwrap();
    auth.assert_expired(&created.token).await;
    let restore = LogInRequest {
        restore: true,
        login: "asha.rao@example.in".to_owned(),
        password: new,
        ..LogInRequest::default()
    };
    auth.client.log_in(restore).await.unwrap();
    auth.assert_expired(&created.token).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_needs_a_recent_login_valid_fields_and_a_free_place(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let wrong = CreateTaxLinkRequest {
        recipient: " ".to_owned(),
        year: 0,
        broker_accounts: vec!["é".to_owned()],
        ttl_days: -1,
    };
    let status = auth.create_link(&tokens, wrong).await.unwrap_err();
    let invalid = fields(&status).into_iter().map(|(field, _)| field).collect::<Vec<_>>();
    assert_eq!(invalid, ["recipient", "year", "broker_accounts", "ttl_days"]);
    for _ in 0..20 {
        auth.create_link(&tokens, for_mehta()).await.unwrap();
    }
    let status = auth.create_link(&tokens, for_mehta()).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "TOO_MANY_TAX_LINKS"));
    // Links that ended leave a place; above 100 the oldest of them are forgotten.
    for _ in 0..5 {
        sqlx::query("update auth.tax_link set revoked_at = now()").execute(&pool).await.unwrap();
        for _ in 0..20 {
            auth.create_link(&tokens, for_mehta()).await.unwrap();
        }
    }
    assert_eq!(count(&pool, "select count(*) from auth.tax_link").await, 100);
    assert_eq!(count(&pool, "select count(*) from auth.tax_link where revoked_at is null").await, 20);
    sqlx::query("update auth.session set authenticated_at = now() - interval '11 minutes'")
        .execute(&pool)
        .await
        .unwrap();
    let status = auth.create_link(&tokens, for_mehta()).await.unwrap_err();
    assert_eq!(reason(&status), "REAUTHENTICATION_REQUIRED");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_access_log_of_a_link_is_limited(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let created = auth.create_link(&tokens, for_mehta()).await.unwrap();
    auth.use_link(&created.token, TaxLinkAction::View).await.unwrap();
    sqlx::query(
        "insert into auth.tax_link_use (account_id, link_id, day, action, user_agent, address, first_at, last_at)
         select account_id, link_id, day, 'view', 'robot ' || number, address, first_at - interval '1 hour', last_at - interval '1 hour'
         from auth.tax_link_use, generate_series(1, 998) number",
    )
    .execute(&pool)
    .await
    .unwrap();
    for _ in 0..3 {
        auth.use_link(&created.token, TaxLinkAction::Download).await.unwrap();
    }
    assert_eq!(count(&pool, "select count(*) from auth.tax_link_use").await, 1_001);
    let links = auth.list_links(&tokens).await;
    assert_eq!((links[0].uses[0].user_agent.as_str(), links[0].uses[0].uses), ("", 2));
}

#[sqlx::test(migrations = "../../migrations")]
async fn only_an_edge_gets_the_access_token_of_a_link(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    let created = auth.create_link(&tokens, for_mehta()).await.unwrap();
    // A call that neither comes from this process nor has the token of an edge.
    let service = service(&pool).await;
    let request = UseTaxLinkRequest { token: created.token, ..UseTaxLinkRequest::default() };
    let status = crate::grpc::Auth(service).use_tax_link(Request::new(request)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "FORBIDDEN"));
    assert_eq!(auth.list_links(&tokens).await[0].uses, []);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_link_and_its_access_log_are_deleted_a_year_after_its_expiry(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let tokens = auth.log_in().await;
    for _ in 0..2 {
        let created = auth.create_link(&tokens, for_mehta()).await.unwrap();
        auth.use_link(&created.token, TaxLinkAction::View).await.unwrap();
    }
    let expire = "update auth.tax_link set expires_at = now() - interval '1 day' * (363 + number)
                  from (select link_id, row_number() over () * 2 - 1 as number from auth.tax_link) as numbered
                  where numbered.link_id = tax_link.link_id";
    // 364 and 366 days ago.
    sqlx::query(expire).execute(&pool).await.unwrap();
    crate::delete_expired_rows(&pool).await;
    for table in ["select count(*) from auth.tax_link", "select count(*) from auth.tax_link_use"] {
        assert_eq!(count(&pool, table).await, 1, "{table}");
    }
}
