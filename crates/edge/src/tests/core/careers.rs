//! Fake careers service.

use futures_util::stream::{self, BoxStream, StreamExt as _};
use prost_types::Timestamp;
use rpc::careers::v1::careers_service_server::CareersService;
use rpc::careers::v1::submit_application_request::Part;
use rpc::careers::v1::*;
use rpc::failure::{Kind, to_status};
use tonic::{Request, Response, Status, Streaming};

use super::Core;
use crate::tests::auth::Refusal;

/// Requests that the careers service received.
#[derive(Default)]
pub struct CareersRequests {
    /// Form of the last complete application, its resume, and the size of the largest chunk in bytes.
    pub submitted: Option<(ApplicationForm, Vec<u8>, usize)>,
    pub updates: Vec<UpdateOwnApplicationRequest>,
}

/// Only valid application key.
pub const VALID_KEY: &str = "the-key-of-an-application";

/// Only valid token for the correction of an email address.
pub const VALID_TOKEN: &str = "the-token-of-a-receipt";

type ResumeStream<T> = BoxStream<'static, Result<T, Status>>;

fn at() -> Option<Timestamp> {
    Some(Timestamp { seconds: 1_774_981_800, nanos: 0 })
}

fn opening() -> Opening {
    Opening {
        id: "FE101".to_owned(),
        title: "Frontend Intern".to_owned(),
        department: "Engineering".to_owned(),
        skills: vec!["React".to_owned()],
        location: "Pune".to_owned(),
        duration: "6 months".to_owned(),
        stipend: "₹15,000 a month".to_owned(),
        posted_on: "2026-11-01".to_owned(),
        last_date: "2027-03-31".to_owned(),
    }
}

fn application() -> Application {
    let answers = Answers {
        name: "Asha Rao".to_owned(),
        email: "asha@example.in".to_owned(),
        mobile: "9876543210".to_owned(),
        college: "NIT Surathkal".to_owned(),
        degree: "btech".to_owned(),
        passing_year: 2027,
        role: String::new(),
        experience: "0.5".to_owned(),
        linkedin: "https://www.linkedin.com/in/asha".to_owned(),
        motivation: "I like ledgers.".to_owned(),
    };
    Application {
        application_id: "TBA-7K3M9Q2X".to_owned(),
        job_id: "FE101".to_owned(),
        job_title: "Frontend Intern".to_owned(),
        answers: Some(answers),
        received_at: at(),
        step: Step::TechnicalRound.into(),
        step_since: at(),
        past_steps: vec![Step::InitialDiscussion.into()],
        file_name: "re\"sumé.pdf".to_owned(),
        resume_bytes: 6,
        resume_sha256: vec![0xab; 32],
        consents: None,
        withdrawn_at: None,
        expires_at: at(),
        last_viewed_at: at(),
    }
}

impl Core {
    fn record_call_with_key<T>(&self, name: &'static str, key: &str, request: &Request<T>) -> Result<(), Status> {
        self.record_call(name, request)?;
        if key == VALID_KEY { Ok(()) } else { Err(to_status(&Refusal(Kind::NotFound, "APPLICATION_NOT_FOUND"))) }
    }
}

#[tonic::async_trait]
impl CareersService for Core {
    async fn list_openings(
        &self,
        request: Request<ListOpeningsRequest>,
    ) -> Result<Response<ListOpeningsResponse>, Status> {
        self.record_call("list_openings", &request)?;
        Ok(Response::new(ListOpeningsResponse { openings: vec![opening()] }))
    }

    async fn get_job_description(
        &self,
        request: Request<GetJobDescriptionRequest>,
    ) -> Result<Response<GetJobDescriptionResponse>, Status> {
        self.record_call("get_job_description", &request)?;
        match request.get_ref().job_id.as_str() {
            "FE101" => {}
            "BE101" => return Err(to_status(&Refusal(Kind::NotFound, "OPENING_CLOSED"))),
            _ => return Err(to_status(&Refusal(Kind::NotFound, "OPENING_NOT_FOUND"))),
        }
        let part = |heading: &str| Responsibilities { heading: heading.to_owned(), items: vec!["Do it".to_owned()] };
        Ok(Response::new(GetJobDescriptionResponse {
            opening: Some(opening()),
            about_us: "A ledger.".to_owned(),
            tech_stack: vec!["React".to_owned()],
            experience: "None.".to_owned(),
            technical_skills: vec!["CSS".to_owned()],
            responsibilities: vec![part("Write"), part("Build")],
            perks_and_benefits: vec!["Tea".to_owned()],
            work_mode: "hybrid".to_owned(),
            seats: 2,
        }))
    }

    async fn submit_application(
        &self,
        request: Request<Streaming<SubmitApplicationRequest>>,
    ) -> Result<Response<SubmitApplicationResponse>, Status> {
        self.record_call("submit_application", &request)?;
        let mut parts = request.into_inner();
        let (mut form, mut resume, mut largest) = (None, Vec::new(), 0);
        while let Some(part) = parts.message().await? {
            match part.part.unwrap() {
                Part::Form(value) => form = Some(value),
                Part::Chunk(chunk) => {
                    self.0.started.notify_one();
                    largest = largest.max(chunk.len());
                    resume.extend_from_slice(&chunk);
                    if let Some(status) = self.0.early_error.lock().unwrap().clone() {
                        return Err(status);
                    }
                }
                Part::End(end) => assert_eq!(end.bytes, i64::try_from(resume.len()).unwrap()),
            }
        }
        if *self.0.blocked.lock().unwrap() {
            self.0.started.notify_one();
            self.0.unblock.notified().await;
        }
        let form = form.unwrap();
        let response = SubmitApplicationResponse {
            application_id: "TBA-7K3M9Q2X".to_owned(),
            received_at: at(),
            resume_sha256: vec![0xab; 32],
            resume_bytes: i64::try_from(resume.len()).unwrap(),
            replayed: form.idempotency_key == "again",
            file_name: form.file_name.clone(),
            email_correction_token: VALID_TOKEN.to_owned(),
            receipt_queued: true,
        };
        self.0.careers.lock().unwrap().submitted = Some((form, resume, largest));
        self.0.done.notify_one();
        Ok(Response::new(response))
    }

    async fn get_own_application(
        &self,
        request: Request<GetOwnApplicationRequest>,
    ) -> Result<Response<GetOwnApplicationResponse>, Status> {
        self.record_call_with_key("get_own_application", &request.get_ref().key, &request)?;
        Ok(Response::new(GetOwnApplicationResponse { application: Some(application()) }))
    }

    async fn update_own_application(
        &self,
        request: Request<UpdateOwnApplicationRequest>,
    ) -> Result<Response<UpdateOwnApplicationResponse>, Status> {
        self.record_call_with_key("update_own_application", &request.get_ref().key, &request)?;
        self.0.careers.lock().unwrap().updates.push(request.into_inner());
        let application = Some(application());
        Ok(Response::new(UpdateOwnApplicationResponse { application }))
    }

    async fn withdraw_own_application(
        &self,
        request: Request<WithdrawOwnApplicationRequest>,
    ) -> Result<Response<WithdrawOwnApplicationResponse>, Status> {
        self.record_call_with_key("withdraw_own_application", &request.get_ref().key, &request)?;
        let application = Some(Application { withdrawn_at: at(), ..application() });
        Ok(Response::new(WithdrawOwnApplicationResponse { application }))
    }

    async fn set_own_later_roles_consent(
        &self,
        request: Request<SetOwnLaterRolesConsentRequest>,
    ) -> Result<Response<SetOwnLaterRolesConsentResponse>, Status> {
        self.record_call_with_key("set_own_later_roles_consent", &request.get_ref().key, &request)?;
        let consents =
            Consents { this_application: true, later_roles: request.get_ref().later_roles, ..Consents::default() };
        let application = Some(Application { consents: Some(consents), ..application() });
        Ok(Response::new(SetOwnLaterRolesConsentResponse { application }))
    }

    async fn delete_own_application(
        &self,
        request: Request<DeleteOwnApplicationRequest>,
    ) -> Result<Response<DeleteOwnApplicationResponse>, Status> {
        self.record_call_with_key("delete_own_application", &request.get_ref().key, &request)?;
        Ok(Response::new(DeleteOwnApplicationResponse {}))
    }

    async fn correct_own_email(
        &self,
        request: Request<CorrectOwnEmailRequest>,
    ) -> Result<Response<CorrectOwnEmailResponse>, Status> {
        self.record_call("correct_own_email", &request)?;
        if request.get_ref().token != VALID_TOKEN {
            return Err(to_status(&Refusal(Kind::NotFound, "EMAIL_CORRECTION_CLOSED")));
        }
        Ok(Response::new(CorrectOwnEmailResponse {}))
    }

    async fn replace_own_key(
        &self,
        request: Request<ReplaceOwnKeyRequest>,
    ) -> Result<Response<ReplaceOwnKeyResponse>, Status> {
        self.record_call_with_key("replace_own_key", &request.get_ref().key, &request)?;
        Ok(Response::new(ReplaceOwnKeyResponse {}))
    }

    async fn request_own_keys(
        &self,
        request: Request<RequestOwnKeysRequest>,
    ) -> Result<Response<RequestOwnKeysResponse>, Status> {
        self.record_call("request_own_keys", &request)?;
        Ok(Response::new(RequestOwnKeysResponse {}))
    }

    type DownloadOwnResumeStream = ResumeStream<DownloadOwnResumeResponse>;

    async fn download_own_resume(
        &self,
        request: Request<DownloadOwnResumeRequest>,
    ) -> Result<Response<Self::DownloadOwnResumeStream>, Status> {
        self.record_call_with_key("download_own_resume", &request.get_ref().key, &request)?;
        use download_own_resume_response::Part;
        let Application { file_name, resume_bytes: bytes, resume_sha256: sha256, .. } = application();
        let head = Part::Head(ResumeHead { file_name, bytes, sha256 });
        let parts = [head, Part::Chunk(b"abc".to_vec()), Part::Chunk(b"def".to_vec())];
        Ok(Response::new(stream::iter(parts.map(|part| Ok(DownloadOwnResumeResponse { part: Some(part) }))).boxed()))
    }

    async fn list_applications(
        &self,
        _: Request<ListApplicationsRequest>,
    ) -> Result<Response<ListApplicationsResponse>, Status> {
        Err(Status::unimplemented("not part of the HTTP API"))
    }

    async fn list_accesses(&self, _: Request<ListAccessesRequest>) -> Result<Response<ListAccessesResponse>, Status> {
        Err(Status::unimplemented("not part of the HTTP API"))
    }

    async fn get_application(
        &self,
        _: Request<GetApplicationRequest>,
    ) -> Result<Response<GetApplicationResponse>, Status> {
        Err(Status::unimplemented("not part of the HTTP API"))
    }

    type DownloadResumeStream = ResumeStream<DownloadResumeResponse>;

    async fn download_resume(
        &self,
        _: Request<DownloadResumeRequest>,
    ) -> Result<Response<Self::DownloadResumeStream>, Status> {
        Err(Status::unimplemented("not part of the HTTP API"))
    }

    async fn set_application_step(
        &self,
        _: Request<SetApplicationStepRequest>,
    ) -> Result<Response<SetApplicationStepResponse>, Status> {
        Err(Status::unimplemented("not part of the HTTP API"))
    }
}
