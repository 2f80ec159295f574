//! Tests of the rpcs with which the company reviews applications.

use rpc::careers::v1::download_resume_response::Part;
use rpc::careers::v1::{
    Answers, ApplicationForm, ApplicationView, DownloadResumeRequest, GetApplicationRequest, ListApplicationsRequest,
    ListApplicationsResponse, SetApplicationStepRequest, SetApplicationStepResponse, Step,
    WithdrawOwnApplicationRequest,
};
use sqlx::PgPool;
use tonic::{Code, Status};

use crate::fixtures::pdf;
use crate::{Careers, access_key, answers, form, reason, violations};

impl Careers {
    async fn list(&self, request: ListApplicationsRequest) -> Result<ListApplicationsResponse, Status> {
        Ok(self.client.clone().list_applications(request).await?.into_inner())
    }

    /// Returns the candidates' names on a list of all applications, limited by `change`.
    async fn names(&self, change: impl FnOnce(&mut ListApplicationsRequest)) -> Vec<String> {
        let mut request = all();
        change(&mut request);
        let applications = self.list(request).await.unwrap().applications;
        applications.into_iter().map(|application| application.answers.unwrap().name).collect()
    }

    pub async fn set_step(
        &self,
        application_id: &str,
        step: Step,
        note: &str,
    ) -> Result<SetApplicationStepResponse, Status> {
        let (application_id, note) = (application_id.to_owned(), note.to_owned());
        let request = SetApplicationStepRequest { application_id, step: step.into(), note };
        Ok(self.client.clone().set_application_step(request).await?.into_inner())
    }
}

fn all() -> ListApplicationsRequest {
    ListApplicationsRequest { page_size: 100, ..ListApplicationsRequest::default() }
}

async fn submit_three(careers: &Careers) -> Vec<String> {
    let mut keys = Vec::new();
    for (name, job_id) in [("Asha Rao", "FE101"), ("Ravi 100%", "FE101"), ("Meera", "BE101")] {
        let email = format!("{}@example.in", &name[..4].trim().to_lowercase());
        let answers = Some(Answers { name: name.to_owned(), email, ..answers() });
        careers.apply(ApplicationForm { job_id: job_id.to_owned(), answers, ..form() }, &pdf()).await.unwrap();
        keys.push(access_key(&careers.single_email().await));
    }
    keys
}

#[sqlx::test(migrations = "../../migrations")]
async fn lists_applications_newest_first_and_filters_them(pool: PgPool) {
    let careers = Careers::new(&pool);
    let keys = submit_three(&careers).await;
    assert_eq!(careers.names(|_| ()).await, ["Meera", "Ravi 100%", "Asha Rao"]);
    assert_eq!(careers.names(|list| list.job_id = "FE101".to_owned()).await, ["Ravi 100%", "Asha Rao"]);
    assert_eq!(careers.names(|list| list.text = "ASHA@".to_owned()).await, ["Asha Rao"]);
    assert_eq!(careers.names(|list| list.text = "%".to_owned()).await, ["Ravi 100%"]);
    assert_eq!(careers.names(|list| list.text = "_".to_owned()).await, Vec::<String>::new());

    careers
        .client
        .clone()
        .withdraw_own_application(WithdrawOwnApplicationRequest { key: keys[2].clone() })
        .await
        .unwrap();
    assert_eq!(careers.names(|_| ()).await, ["Ravi 100%", "Asha Rao"]);
    assert_eq!(careers.names(|list| list.with_withdrawn = true).await.len(), 3);

    let first = careers.find_own(&keys[0]).await.unwrap();
    careers.set_step(&first.application_id, Step::TeamRound, "").await.unwrap();
    assert_eq!(careers.names(|list| list.step = Step::TeamRound.into()).await, ["Asha Rao"]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_contain_every_application_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    submit_three(&careers).await;
    sqlx::query("update careers.application set received_at = now()").execute(&pool).await.unwrap();
    let (mut page_token, mut seen) = (String::new(), Vec::new());
    loop {
        let page = careers.list(ListApplicationsRequest { page_size: 1, page_token, ..all() }).await.unwrap();
        assert_eq!(page.total_size, 3);
        seen.extend(page.applications.into_iter().map(|application| application.application_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let whole = careers.list(all()).await.unwrap().applications;
    assert_eq!(seen, whole.into_iter().map(|application| application.application_id).collect::<Vec<_>>());
    let default_size = careers.list(ListApplicationsRequest { page_size: 0, ..all() }).await.unwrap();
    assert_eq!(default_size.applications.len(), 3);
    for (page_size, page_token, field) in [(-1, "", "page_size"), (101, "", "page_size"), (1, "x", "page_token")] {
        let invalid = ListApplicationsRequest { page_size, page_token: page_token.to_owned(), ..all() };
        assert_eq!(violations(&careers.list(invalid).await.unwrap_err()), [(field.to_owned(), "INVALID".to_owned())]);
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn every_access_to_a_candidates_data_is_recorded(pool: PgPool) {
    let careers = Careers::new(&pool);
    let own = careers.find_own(&careers.submit().await).await.unwrap();
    assert_eq!(careers.count("access_log").await, 0);
    let application_id = own.application_id.clone();
    let mut client = careers.client.clone();
    let read = client.get_application(GetApplicationRequest { application_id: application_id.clone() }).await.unwrap();
    assert_eq!(read.into_inner().application.unwrap(), own);
    let listed = careers.list(ListApplicationsRequest { view: ApplicationView::Basic.into(), ..all() }).await.unwrap();
    let answers = listed.applications[0].answers.clone().unwrap();
    assert_eq!((answers.name.as_str(), answers.mobile.as_str(), answers.motivation.as_str()), ("Asha Rao", "", ""));
    let exported = careers.list(all()).await.unwrap();
    assert_eq!(exported.applications[0].answers, own.answers);
    let request = DownloadResumeRequest { application_id: application_id.clone() };
    let mut parts = client.download_resume(request).await.unwrap().into_inner();
    let mut resume = Vec::new();
    while let Some(part) = parts.message().await.unwrap() {
        if let Some(Part::Chunk(chunk)) = part.part {
            resume.extend(chunk);
        }
    }
    assert_eq!(resume, pdf());
    careers.set_step(&application_id, Step::InitialDiscussion, "").await.unwrap();
    let records: Vec<String> = sqlx::query_scalar(
        "select action from careers.access_log where caller = 'terminal' and application_id = $1 order by accessed_at",
    )
    .bind(&application_id)
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(records, ["read", "list", "export", "resume", "step: initial-discussion"]);
    let unknown = client.get_application(GetApplicationRequest { application_id: "TBA-0".to_owned() }).await;
    assert_eq!(reason(&unknown.unwrap_err()), "APPLICATION_NOT_FOUND");
}

/// The guard admits only services with the required scope. Without a guard, no caller is known.
#[sqlx::test(migrations = "../../migrations")]
async fn rejects_access_by_an_unknown_caller(pool: PgPool) {
    let careers = Careers::new(&pool);
    let server = careers::server(pool.clone(), careers.settings.clone()).unwrap();
    let mut client = rpc::careers::v1::careers_service_client::CareersServiceClient::new(rpc::transport::local(server));
    let rejected = client.list_applications(all()).await.unwrap_err();
    assert_eq!(rejected.code(), Code::PermissionDenied);
}

/// [C2]
#[sqlx::test(migrations = "../../migrations")]
async fn c2_the_candidate_sees_when_the_application_was_last_viewed(pool: PgPool) {
    let careers = Careers::new(&pool);
    let key = careers.submit().await;
    let own = careers.find_own(&key).await.unwrap();
    assert_eq!(own.last_viewed_at, None, "the candidate's own visits do not count");
    let application_id = own.application_id;
    let mut client = careers.client.clone();
    let mut last = None;
    let list = ListApplicationsRequest { view: ApplicationView::Basic.into(), ..all() };
    careers.list(list).await.unwrap();
    assert_eq!(careers.find_own(&key).await.unwrap().last_viewed_at, None, "a name in a list is no view");
    for access in ["read", "resume", "export"] {
        match access {
            "read" => {
                let request = GetApplicationRequest { application_id: application_id.clone() };
                client.get_application(request).await.map(drop).unwrap();
            }
            "resume" => {
                let request = DownloadResumeRequest { application_id: application_id.clone() };
                client.download_resume(request).await.map(drop).unwrap();
            }
            _ => careers.list(all()).await.map(drop).unwrap(),
        }
        let viewed = careers.find_own(&key).await.unwrap().last_viewed_at.map(|at| (at.seconds, at.nanos));
        assert!(viewed > last, "{access}");
        last = viewed;
    }
}
