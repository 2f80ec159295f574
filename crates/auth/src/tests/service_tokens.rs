//! Service tokens.

use rpc::authorization::ACCOUNT_METADATA_KEY;
use rpc::caller::Bearer;
use time::Duration;

use super::*;
use crate::service_token;
use crate::store::Store;

const TTL: Duration = Duration::days(90);

fn scopes(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_service_with_the_scope_reads_the_account_that_it_names(pool: PgPool) {
    let (mut auth, account_id) = Auth::with_asha(pool.clone()).await;
    let reads = service_token::create(&pool, "reports", &scopes(&["accounts:read"]), TTL).await.unwrap().unwrap();
    let trades = service_token::create(&pool, "ticker", &scopes(&["trades:read"]), TTL).await.unwrap().unwrap();
    assert!(reads.starts_with("tbs_") && reads.len() == 47, "{reads}");
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    let call = |token: &str, account: Option<&str>| {
        let mut request = with_token(GetAccountRequest {}, token);
        if let Some(account) = account {
            request.metadata_mut().insert(ACCOUNT_METADATA_KEY, account.parse().unwrap());
        }
        request
    };
    let account = auth.client.get_account(call(&reads, Some(&account_id))).await.unwrap().into_inner();
    assert_eq!(account.account_id, account_id);
    for (token, account, code, want) in [
        (&reads, None, Code::InvalidArgument, "INVALID_ACCOUNT"),
        (&reads, Some("asha"), Code::InvalidArgument, "INVALID_ACCOUNT"),
        (&reads, Some("00000000-0000-0000-0000-000000000000"), Code::NotFound, "ACCOUNT_NOT_FOUND"),
        (&trades, Some(account_id.as_str()), Code::PermissionDenied, "FORBIDDEN"),
        (&"tbs_x".to_owned(), Some(account_id.as_str()), Code::Unauthenticated, "UNAUTHENTICATED"),
    ] {
        let status = auth.client.get_account(call(token, account)).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (code, want));
    }
    let readable = "select count(*) from auth.service_token where length(token_hash) <> 32";
    assert_eq!(count(&pool, readable).await, 0, "only hashes are stored");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_service_has_one_active_token_and_revocation_is_final(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    let token = service_token::create(&pool, "reports", &scopes(&["trades:read"]), TTL).await.unwrap().unwrap();
    assert!(service_token::create(&pool, "reports", &scopes(&["trades:write"]), TTL).await.unwrap().is_none());
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    assert!(matches!(auth.verifier.verify(&token), Ok(Bearer::Service(service)) if service.name == "reports"));

    assert!(service_token::revoke(&pool, "reports").await.unwrap());
    assert!(!service_token::revoke(&pool, "reports").await.unwrap());
    let listed = service_token::list(&pool).await.unwrap();
    assert!(matches!(listed.as_slice(), [one] if one.revoked_at.is_some() && one.scopes == ["trades:read"]));
    let next = service_token::create(&pool, "reports", &scopes(&["trades:read"]), TTL).await.unwrap().unwrap();
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    assert!(matches!(auth.verifier.verify(&token), Err(AuthError::Unauthenticated)));
    assert!(auth.verifier.verify(&next).is_ok());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_service_token_expires_and_can_then_be_replaced(pool: PgPool) {
    let mut auth = auth(pool.clone()).await;
    let store = Store::new(pool.clone());
    let token = service_token::create(&pool, "reports", &scopes(&["trades:read"]), TTL).await.unwrap().unwrap();
    let expire = async |left: &str| {
        let update = format!("update auth.service_token set expires_at = now() + interval '{left}'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(update)).execute(&pool).await.unwrap();
    };
    for (left, is_valid, is_expiring) in [("15 days", true, false), ("13 days", true, true), ("0 days", false, false)] {
        expire(left).await;
        auth.verifier.refresh(&mut auth.client).await.unwrap();
        assert_eq!(auth.verifier.verify(&token).is_ok(), is_valid, "{left}");
        let expiring = store.list_expiring_service_tokens(service_token::EXPIRY_NOTICE).await.unwrap();
        assert_eq!(!expiring.is_empty(), is_expiring, "{left}");
    }
    let next = service_token::create(&pool, "reports", &scopes(&["trades:read"]), TTL).await.unwrap().unwrap();
    auth.verifier.refresh(&mut auth.client).await.unwrap();
    assert!(auth.verifier.verify(&token).is_err() && auth.verifier.verify(&next).is_ok());
}
