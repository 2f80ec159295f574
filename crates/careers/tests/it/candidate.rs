//! Tests of the rpcs with which candidates manage their applications.

use rpc::careers::v1::{
    Answers, Application, ApplicationForm, Consents, DeleteOwnApplicationRequest, DownloadOwnResumeRequest,
    SetApplicationStepRequest, SetOwnLaterRolesConsentRequest, Step, UpdateOwnApplicationRequest,
    WithdrawOwnApplicationRequest,
};
use sqlx::PgPool;
use tonic::{Code, Status};

use crate::fixtures::pdf;
use crate::{Careers, access_key, answers, form, reason, violations};

impl Careers {
    pub async fn update(&self, key: &str, answers: Answers) -> Result<Application, Status> {
        let request = UpdateOwnApplicationRequest { key: key.to_owned(), answers: Some(answers), update_mask: None };
        Ok(self.client.clone().update_own_application(request).await?.into_inner().application.unwrap())
    }

    pub async fn withdraw(&self, key: &str) -> Result<Application, Status> {
        let request = WithdrawOwnApplicationRequest { key: key.to_owned() };
        Ok(self.client.clone().withdraw_own_application(request).await?.into_inner().application.unwrap())
    }

    pub async fn set_later_roles(&self, key: &str, later_roles: bool) -> Result<Application, Status> {
        let request = SetOwnLaterRolesConsentRequest { key: key.to_owned(), later_roles };
        Ok(self.client.clone().set_own_later_roles_consent(request).await?.into_inner().application.unwrap())
    }

    pub async fn delete(&self, key: &str) -> Result<(), Status> {
        let request = DeleteOwnApplicationRequest { key: key.to_owned() };
        self.client.clone().delete_own_application(request).await.map(drop)
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_unknown_access_key_is_rejected_by_every_rpc(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.submit().await;
    let id = careers.find_own(&own).await.unwrap().application_id;
    for unknown in ["", "x", &id, &own.to_lowercase(), &"A".repeat(43)] {
        let results = [
            careers.find_own(unknown).await.map(drop),
            careers.update(unknown, Answers::default()).await.map(drop),
            careers.withdraw(unknown).await.map(drop),
            careers.set_later_roles(unknown, true).await.map(drop),
            careers.delete(unknown).await,
            careers
                .client
                .clone()
                .download_own_resume(DownloadOwnResumeRequest { key: unknown.to_owned() })
                .await
                .map(drop),
        ];
        for result in results {
            let error = result.unwrap_err();
            assert_eq!(
                (error.code(), reason(&error)),
                (Code::NotFound, "APPLICATION_NOT_FOUND".to_owned()),
                "{unknown}"
            );
        }
    }
    assert!(careers.find_own(&own).await.is_ok());
    let stored: i64 =
        sqlx::query_scalar("select count(*) from careers.application_key k where strpos(k::text, $1) > 0")
            .bind(&own)
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(stored, 0, "the key itself is stored");
}

#[sqlx::test(migrations = "../../migrations")]
async fn answers_can_be_updated_until_the_review_starts(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.submit().await;
    let changed = Answers { college: "IIT Madras".to_owned(), ..Answers::default() };
    let updated = careers.update(&own, changed.clone()).await.unwrap();
    assert_eq!(updated.answers.unwrap().college, "IIT Madras");
    let email = careers.single_email().await;
    assert!(email.contains("was corrected"), "{email}");
    assert!(careers.find_own(&access_key(&email)).await.is_ok());
    careers.update(&own, changed.clone()).await.unwrap();
    assert_eq!(careers.emails().await.len(), 0, "nothing changed");

    let rejected = careers.update(&own, Answers { email: "other@example.in".to_owned(), ..answers() }).await;
    assert_eq!(violations(&rejected.unwrap_err()), [("answers.email".to_owned(), "NOT_EDITABLE".to_owned())]);
    let rejected = careers.update(&own, Answers { degree: "phd".to_owned(), ..answers() }).await;
    assert_eq!(violations(&rejected.unwrap_err()), [("answers.degree".to_owned(), "UNKNOWN".to_owned())]);

    let application_id = updated.application_id;
    let step = SetApplicationStepRequest { application_id, step: Step::TechnicalRound.into(), note: String::new() };
    careers.client.clone().set_application_step(step).await.unwrap();
    let late = careers.update(&own, answers()).await.unwrap_err();
    assert_eq!((late.code(), reason(&late)), (Code::FailedPrecondition, "ALREADY_IN_REVIEW".to_owned()));
    assert_eq!(careers.find_own(&own).await.unwrap().answers.unwrap().college, "IIT Madras");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_consent_to_later_roles_can_be_revoked_and_given_again(pool: PgPool) {
    let careers = Careers::new(&pool);
    let rejected = careers.set_later_roles(&careers.submit().await, true).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::FailedPrecondition, "CONSENTS_NOT_REQUESTED".to_owned()));
    let consents = Consents { this_application: true, later_roles: true, notice_version: "2026-11".to_owned() };
    careers.apply(ApplicationForm { consents: Some(consents), ..form() }, &pdf()).await.unwrap();
    let own = access_key(&careers.single_email().await);
    let later_roles = |application: Application| application.consents.unwrap().later_roles;
    careers.withdraw(&own).await.unwrap();
    for agreed in [false, false, true] {
        assert_eq!(later_roles(careers.set_later_roles(&own, agreed).await.unwrap()), agreed);
        assert_eq!(later_roles(careers.find_own(&own).await.unwrap()), agreed);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_withdrawn_application_cannot_be_changed(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.submit().await;
    let withdrawn = careers.withdraw(&own).await.unwrap();
    assert!(withdrawn.withdrawn_at.is_some());
    assert!(careers.single_email().await.contains("is withdrawn"));
    assert_eq!(careers.withdraw(&own).await.unwrap(), withdrawn);
    assert_eq!(careers.emails().await.len(), 0);
    assert_eq!(reason(&careers.update(&own, answers()).await.unwrap_err()), "WITHDRAWN");
    let application_id = withdrawn.application_id;
    let step = SetApplicationStepRequest { application_id, step: Step::Offered.into(), note: String::new() };
    assert_eq!(reason(&careers.client.clone().set_application_step(step).await.unwrap_err()), "WITHDRAWN");
}

#[sqlx::test(migrations = "../../migrations")]
async fn deleting_an_application_deletes_its_resume_and_its_keys(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.submit().await;
    careers.delete(&own).await.unwrap();
    assert_eq!(careers.resume_files(), Vec::<String>::new());
    assert_eq!(careers.count("application").await, 0);
    assert_eq!(careers.count("application_key").await, 0);
    let email = careers.single_email().await;
    assert!(email.contains("To: asha.rao@example.in") && email.contains("are deleted"), "{email}");
    let queued: i64 = sqlx::query_scalar("select count(*) from careers.email").fetch_one(&pool).await.unwrap();
    assert_eq!(queued, 0);
    assert_eq!(reason(&careers.find_own(&own).await.unwrap_err()), "APPLICATION_NOT_FOUND");
    assert_eq!(reason(&careers.delete(&own).await.unwrap_err()), "APPLICATION_NOT_FOUND");
}
