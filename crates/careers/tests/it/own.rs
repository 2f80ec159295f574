//! What a candidate does with the own application.

use rpc::careers::v1::{
    Answers, Application, ApplicationForm, Consents, CorrectOwnApplicationRequest, DownloadOwnResumeRequest,
    EraseOwnApplicationRequest, SetApplicationStepRequest, SetOwnLaterRolesRequest, Step,
    WithdrawOwnApplicationRequest,
};
use sqlx::PgPool;
use tonic::{Code, Status};

use crate::fixtures::pdf;
use crate::{Careers, answers, fields, form, key, reason};

impl Careers {
    async fn correct(&self, key: &str, answers: Answers) -> Result<Application, Status> {
        let request = CorrectOwnApplicationRequest { key: key.to_owned(), answers: Some(answers) };
        Ok(self.client.clone().correct_own_application(request).await?.into_inner().application.unwrap())
    }

    async fn withdraw(&self, key: &str) -> Result<Application, Status> {
        let request = WithdrawOwnApplicationRequest { key: key.to_owned() };
        Ok(self.client.clone().withdraw_own_application(request).await?.into_inner().application.unwrap())
    }

    async fn set_later_roles(&self, key: &str, agreed: bool) -> Result<Application, Status> {
        let request = SetOwnLaterRolesRequest { key: key.to_owned(), agreed };
        Ok(self.client.clone().set_own_later_roles(request).await?.into_inner().application.unwrap())
    }

    async fn erase(&self, key: &str) -> Result<(), Status> {
        let request = EraseOwnApplicationRequest { key: key.to_owned() };
        self.client.clone().erase_own_application(request).await.map(drop)
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_foreign_key_opens_nothing(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.applied().await;
    let id = careers.own(&own).await.unwrap().application_id;
    for foreign in ["", "x", &id, &own.to_lowercase(), &"A".repeat(43)] {
        let refused = [
            careers.own(foreign).await.map(drop),
            careers.correct(foreign, Answers::default()).await.map(drop),
            careers.withdraw(foreign).await.map(drop),
            careers.set_later_roles(foreign, true).await.map(drop),
            careers.erase(foreign).await,
            careers
                .client
                .clone()
                .download_own_resume(DownloadOwnResumeRequest { key: foreign.to_owned() })
                .await
                .map(drop),
        ];
        for refused in refused {
            let refused = refused.unwrap_err();
            assert_eq!((refused.code(), reason(&refused)), (Code::NotFound, "NO_APPLICATION".to_owned()), "{foreign}");
        }
    }
    assert!(careers.own(&own).await.is_ok());
    let kept: i64 = sqlx::query_scalar("select count(*) from careers.application_key k where strpos(k::text, $1) > 0")
        .bind(&own)
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(kept, 0, "a key is kept as it is");
}

#[sqlx::test(migrations = "../../migrations")]
async fn answers_are_corrected_until_somebody_looks_at_them(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.applied().await;
    let better = Answers { college: "IIT Madras".to_owned(), ..answers() };
    let corrected = careers.correct(&own, better.clone()).await.unwrap();
    assert_eq!(corrected.answers.unwrap().college, "IIT Madras");
    let letter = careers.letter().await;
    assert!(letter.contains("IIT Madras"), "{letter}");
    assert!(careers.own(&key(&letter)).await.is_ok());
    careers.correct(&own, better.clone()).await.unwrap();
    assert_eq!(careers.letters().await.len(), 0, "nothing changed");

    let refused = careers.correct(&own, Answers { email: "other@example.in".to_owned(), ..answers() }).await;
    assert_eq!(fields(&refused.unwrap_err()), [("email".to_owned(), "FIXED".to_owned())]);
    let refused = careers.correct(&own, Answers { degree: "phd".to_owned(), ..answers() }).await;
    assert_eq!(fields(&refused.unwrap_err()), [("degree".to_owned(), "UNKNOWN".to_owned())]);

    let application_id = corrected.application_id;
    let step = SetApplicationStepRequest { application_id, step: Step::TechnicalRound.into(), note: String::new() };
    careers.client.clone().set_application_step(step).await.unwrap();
    let late = careers.correct(&own, answers()).await.unwrap_err();
    assert_eq!((late.code(), reason(&late)), (Code::AlreadyExists, "TOO_LATE".to_owned()));
    assert_eq!(careers.own(&own).await.unwrap().answers.unwrap().college, "IIT Madras");
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_agreed_for_later_roles_is_taken_back_and_given_again(pool: PgPool) {
    let careers = Careers::new(&pool);
    let refused = careers.set_later_roles(&careers.applied().await, true).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::AlreadyExists, "NOT_ASKED".to_owned()));
    let consents = Consents { application: true, later_roles: true, notice_version: "2026-11".to_owned() };
    careers.apply(ApplicationForm { consents: Some(consents), ..form() }, &pdf()).await.unwrap();
    let own = key(&careers.letter().await);
    let agreed = |application: Application| application.consents.unwrap().later_roles;
    careers.withdraw(&own).await.unwrap();
    for wanted in [false, false, true] {
        assert_eq!(agreed(careers.set_later_roles(&own, wanted).await.unwrap()), wanted);
        assert_eq!(agreed(careers.own(&own).await.unwrap()), wanted);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_withdrawn_application_is_left_alone(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.applied().await;
    let withdrawn = careers.withdraw(&own).await.unwrap();
    assert!(withdrawn.withdrawn_at.is_some());
    assert!(careers.letter().await.contains("is withdrawn"));
    assert_eq!(careers.withdraw(&own).await.unwrap(), withdrawn);
    assert_eq!(careers.letters().await.len(), 0);
    assert_eq!(reason(&careers.correct(&own, answers()).await.unwrap_err()), "WITHDRAWN");
    let application_id = withdrawn.application_id;
    let step = SetApplicationStepRequest { application_id, step: Step::Offered.into(), note: String::new() };
    assert_eq!(reason(&careers.client.clone().set_application_step(step).await.unwrap_err()), "WITHDRAWN");
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_erased_application_is_gone_with_its_resume(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.applied().await;
    careers.erase(&own).await.unwrap();
    assert_eq!(careers.files(), Vec::<String>::new());
    assert_eq!(careers.count("application").await, 0);
    assert_eq!(careers.count("application_key").await, 0);
    let letter = careers.letter().await;
    assert!(letter.contains("To: Asha.Rao@example.in") && letter.contains("is erased"), "{letter}");
    let left: i64 = sqlx::query_scalar("select count(*) from careers.letter").fetch_one(&pool).await.unwrap();
    assert_eq!(left, 0);
    assert_eq!(reason(&careers.own(&own).await.unwrap_err()), "NO_APPLICATION");
    assert_eq!(reason(&careers.erase(&own).await.unwrap_err()), "NO_APPLICATION");
}
