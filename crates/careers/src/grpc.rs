//! Conversion between proto messages and domain types.

use futures_util::stream::{self, BoxStream, StreamExt as _};
use prost_types::Timestamp;
use rpc::caller;
use rpc::careers::v1::careers_service_server::CareersService;
use rpc::careers::v1::download_own_resume_response::Part as OwnPart;
use rpc::careers::v1::download_resume_response::Part;
use rpc::careers::v1::{self as wire, ApplicationView};
use rpc::failure;
use time::OffsetDateTime;
use tonic::{Request, Response, Status, Streaming};

use crate::answers::{Answers, Consents};
use crate::application::{AccessKey, Application, Resume, Step};
use crate::error::Error;
use crate::opening::Opening;
use crate::service::{Receipt, Service};
use crate::store::access_log::Access;
use crate::store::step_history::StepRecord;
use crate::store::updates::StepChange;

/// gRPC server of careers.
#[derive(Clone)]
pub struct Careers(pub(crate) Service);

type ResumeStream<T> = BoxStream<'static, Result<T, Status>>;

#[tonic::async_trait]
impl CareersService for Careers {
    async fn list_openings(
        &self,
        _: Request<wire::ListOpeningsRequest>,
    ) -> Result<Response<wire::ListOpeningsResponse>, Status> {
        let openings = self.0.list_openings().map(wire_opening).collect();
        Ok(Response::new(wire::ListOpeningsResponse { openings }))
    }

    async fn get_job_description(
        &self,
        request: Request<wire::GetJobDescriptionRequest>,
    ) -> Result<Response<wire::GetJobDescriptionResponse>, Status> {
        Ok(Response::new(wire_description(self.0.find_opening(&request.get_ref().job_id)?)))
    }

    async fn submit_application(
        &self,
        request: Request<Streaming<wire::SubmitApplicationRequest>>,
    ) -> Result<Response<wire::SubmitApplicationResponse>, Status> {
        let Receipt { stored, file_name, bytes, sha256, email_correction_token } =
            self.0.submit(request.into_inner()).await?;
        Ok(Response::new(wire::SubmitApplicationResponse {
            application_id: stored.application_id,
            received_at: Some(timestamp(stored.received_at)),
            resume_sha256: sha256.to_vec(),
            resume_bytes: bytes,
            replayed: stored.replayed,
            receipt_queued: stored.receipt_queued,
            file_name,
            email_correction_token: email_correction_token.map(|token| token.expose().to_owned()).unwrap_or_default(),
        }))
    }

    async fn get_own_application(
        &self,
        request: Request<wire::GetOwnApplicationRequest>,
    ) -> Result<Response<wire::GetOwnApplicationResponse>, Status> {
        let application = self.0.find_own(&AccessKey::new(request.into_inner().key)).await?;
        Ok(Response::new(wire::GetOwnApplicationResponse { application: Some(application.into()) }))
    }

    async fn update_own_application(
        &self,
        request: Request<wire::UpdateOwnApplicationRequest>,
    ) -> Result<Response<wire::UpdateOwnApplicationResponse>, Status> {
        let wire::UpdateOwnApplicationRequest { key, answers, update_mask } = request.into_inner();
        let (service, key) = (self.0.clone(), AccessKey::new(key));
        let (changes, mask) = (answers.unwrap_or_default(), update_mask.unwrap_or_default());
        let application = run_write(async move { service.update_answers(&key, changes, &mask.paths).await }).await?;
        Ok(Response::new(wire::UpdateOwnApplicationResponse { application: Some(application.into()) }))
    }

    async fn withdraw_own_application(
        &self,
        request: Request<wire::WithdrawOwnApplicationRequest>,
    ) -> Result<Response<wire::WithdrawOwnApplicationResponse>, Status> {
        let (service, key) = (self.0.clone(), AccessKey::new(request.into_inner().key));
        let application = run_write(async move { service.withdraw(&key).await }).await?;
        Ok(Response::new(wire::WithdrawOwnApplicationResponse { application: Some(application.into()) }))
    }

    async fn set_own_later_roles_consent(
        &self,
        request: Request<wire::SetOwnLaterRolesConsentRequest>,
    ) -> Result<Response<wire::SetOwnLaterRolesConsentResponse>, Status> {
        let wire::SetOwnLaterRolesConsentRequest { key, later_roles } = request.into_inner();
        let (service, key) = (self.0.clone(), AccessKey::new(key));
        let application = run_write(async move { service.set_later_roles(&key, later_roles).await }).await?;
        Ok(Response::new(wire::SetOwnLaterRolesConsentResponse { application: Some(application.into()) }))
    }

    async fn delete_own_application(
        &self,
        request: Request<wire::DeleteOwnApplicationRequest>,
    ) -> Result<Response<wire::DeleteOwnApplicationResponse>, Status> {
        let (service, key) = (self.0.clone(), AccessKey::new(request.into_inner().key));
        run_write(async move { service.delete(&key).await }).await?;
        Ok(Response::new(wire::DeleteOwnApplicationResponse {}))
    }

    async fn correct_own_email(
        &self,
        request: Request<wire::CorrectOwnEmailRequest>,
    ) -> Result<Response<wire::CorrectOwnEmailResponse>, Status> {
        let wire::CorrectOwnEmailRequest { token, email } = request.into_inner();
        let (service, token) = (self.0.clone(), AccessKey::new(token));
        run_write(async move { service.correct_email(&token, &email).await }).await?;
        Ok(Response::new(wire::CorrectOwnEmailResponse {}))
    }

    async fn replace_own_key(
        &self,
        request: Request<wire::ReplaceOwnKeyRequest>,
    ) -> Result<Response<wire::ReplaceOwnKeyResponse>, Status> {
        let (service, key) = (self.0.clone(), AccessKey::new(request.into_inner().key));
        run_write(async move { service.replace_link(&key).await }).await?;
        Ok(Response::new(wire::ReplaceOwnKeyResponse {}))
    }

    async fn request_own_keys(
        &self,
        request: Request<wire::RequestOwnKeysRequest>,
    ) -> Result<Response<wire::RequestOwnKeysResponse>, Status> {
        let (service, email) = (self.0.clone(), request.into_inner().email);
        run_write(async move { service.request_links(&email).await }).await?;
        Ok(Response::new(wire::RequestOwnKeysResponse {}))
    }

    type DownloadOwnResumeStream = ResumeStream<wire::DownloadOwnResumeResponse>;

    async fn download_own_resume(
        &self,
        request: Request<wire::DownloadOwnResumeRequest>,
    ) -> Result<Response<Self::DownloadOwnResumeStream>, Status> {
        let application = self.0.find_own(&AccessKey::new(request.into_inner().key)).await?;
        let to_own_part = |part| match part {
            Part::Head(head) => OwnPart::Head(head),
            Part::Chunk(chunk) => OwnPart::Chunk(chunk),
        };
        let to_message = move |part| wire::DownloadOwnResumeResponse { part: Some(to_own_part(part)) };
        self.stream_resume(application.resume, to_message).await
    }

    async fn list_applications(
        &self,
        request: Request<wire::ListApplicationsRequest>,
    ) -> Result<Response<wire::ListApplicationsResponse>, Status> {
        let caller = caller_name(&request)?;
        let request = request.into_inner();
        let page = self.0.list(&request, parse_step(request.step()), &caller).await?;
        let to_message = |application: Application| match request.view() {
            ApplicationView::Basic => to_basic(application.into()),
            ApplicationView::Full | ApplicationView::Unspecified => application.into(),
        };
        Ok(Response::new(wire::ListApplicationsResponse {
            applications: page.applications.into_iter().map(to_message).collect(),
            next_page_token: page.next.map(|token| token.encode()).unwrap_or_default(),
            total_size: page.total_size,
        }))
    }

    async fn get_application(
        &self,
        request: Request<wire::GetApplicationRequest>,
    ) -> Result<Response<wire::GetApplicationResponse>, Status> {
        let caller = caller_name(&request)?;
        let application = self.0.find_for_company(&request.get_ref().application_id, &caller, "read").await?;
        let steps = self.0.list_steps(&application.application_id).await?;
        let to_message = |record: StepRecord| wire::StepRecord {
            changed_at: Some(timestamp(record.changed_at)),
            step: wire::Step::from(record.step).into(),
            caller: record.caller,
            note: record.note,
        };
        let step_history = steps.into_iter().map(to_message).collect();
        Ok(Response::new(wire::GetApplicationResponse { application: Some(application.into()), step_history }))
    }

    type DownloadResumeStream = ResumeStream<wire::DownloadResumeResponse>;

    async fn download_resume(
        &self,
        request: Request<wire::DownloadResumeRequest>,
    ) -> Result<Response<Self::DownloadResumeStream>, Status> {
        let caller = caller_name(&request)?;
        let application = self.0.find_for_company(&request.get_ref().application_id, &caller, "resume").await?;
        self.stream_resume(application.resume, |part| wire::DownloadResumeResponse { part: Some(part) }).await
    }

    async fn list_accesses(
        &self,
        request: Request<wire::ListAccessesRequest>,
    ) -> Result<Response<wire::ListAccessesResponse>, Status> {
        let accesses = self.0.list_accesses(&request.get_ref().application_id).await?;
        let to_message = |access: Access| wire::Access {
            accessed_at: Some(timestamp(access.accessed_at)),
            caller: access.caller,
            action: access.action,
        };
        Ok(Response::new(wire::ListAccessesResponse { accesses: accesses.into_iter().map(to_message).collect() }))
    }

    async fn set_application_step(
        &self,
        request: Request<wire::SetApplicationStepRequest>,
    ) -> Result<Response<wire::SetApplicationStepResponse>, Status> {
        let caller = caller_name(&request)?;
        let request = request.into_inner();
        let service = self.0.clone();
        let StepChange { application, email_queued, email_replaced } = run_write(async move {
            let step = parse_step(request.step());
            service.set_step(&request.application_id, step, &request.note, &caller).await
        })
        .await?;
        let application = Some(application.into());
        Ok(Response::new(wire::SetApplicationStepResponse { application, email_queued, email_replaced }))
    }
}

impl Careers {
    /// Streams a resume: its head, then chunks. `to_message` wraps each part in the message of the rpc.
    async fn stream_resume<T: Send + 'static>(
        &self,
        resume: Resume,
        to_message: impl Fn(Part) -> T + Send + 'static,
    ) -> Result<Response<ResumeStream<T>>, Status> {
        let chunks = self.0.resume(resume.resume_id).await?;
        let Resume { file_name, bytes, sha256, .. } = resume;
        let head = Part::Head(wire::ResumeHead { file_name, bytes, sha256 });
        let parts = stream::once(async { Ok(head) })
            .chain(chunks.map(|chunk| chunk.map(Part::Chunk)))
            .map(move |part| part.map(&to_message).map_err(Status::from));
        Ok(Response::new(parts.boxed()))
    }
}

/// Runs a write to completion, even if the caller disconnects.
async fn run_write<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    db::run_to_completion(db::WRITE_TIMEOUT, write).await
}

/// Returns the name of the calling service, which the guard has put into the request extensions.
fn caller_name<T>(request: &Request<T>) -> Result<String, Status> {
    let service = request.extensions().get::<caller::Service>();
    service.map(|service| service.name.clone()).ok_or_else(|| failure::to_status(&caller::AuthError::Forbidden))
}

fn wire_opening(opening: &Opening) -> wire::Opening {
    wire::Opening {
        id: opening.id.clone(),
        title: opening.title.clone(),
        department: opening.department.clone(),
        skills: opening.skills.clone(),
        location: opening.location.clone(),
        duration: opening.duration.clone(),
        stipend: opening.stipend.clone(),
        posted_on: opening.posted_on.to_string(),
        last_date: opening.last_date.to_string(),
    }
}

fn wire_description(opening: &Opening) -> wire::GetJobDescriptionResponse {
    let responsibilities = opening.responsibilities.iter();
    wire::GetJobDescriptionResponse {
        opening: Some(wire_opening(opening)),
        about_us: opening.about_us.clone(),
        tech_stack: opening.tech_stack.clone(),
        experience: opening.experience.clone(),
        technical_skills: opening.technical_skills.clone(),
        responsibilities: responsibilities
            .map(|group| wire::Responsibilities { heading: group.heading.clone(), items: group.items.clone() })
            .collect(),
        perks_and_benefits: opening.perks_and_benefits.clone(),
        work_mode: opening.work_mode.name().to_owned(),
        seats: opening.seats,
    }
}

impl From<Application> for wire::Application {
    fn from(application: Application) -> Self {
        Self {
            application_id: application.application_id,
            job_id: application.job_id,
            job_title: application.job_title,
            answers: Some(application.answers.into()),
            received_at: Some(timestamp(application.received_at)),
            step: wire::Step::from(application.step).into(),
            step_since: Some(timestamp(application.step_since)),
            past_steps: application.past_steps.into_iter().map(|step| wire::Step::from(step).into()).collect(),
            file_name: application.resume.file_name,
            resume_bytes: application.resume.bytes,
            resume_sha256: application.resume.sha256,
            consents: application.consents.map(Into::into),
            withdrawn_at: application.withdrawn_at.map(timestamp),
            expires_at: Some(timestamp(application.expires_at)),
            last_viewed_at: application.last_viewed_at.map(timestamp),
        }
    }
}

/// Removes the fields of an application that a list does not show.
fn to_basic(application: wire::Application) -> wire::Application {
    let wire::Answers { name, email, .. } = application.answers.unwrap_or_default();
    wire::Application {
        answers: Some(wire::Answers { name, email, ..wire::Answers::default() }),
        file_name: String::new(),
        resume_bytes: 0,
        resume_sha256: Vec::new(),
        consents: None,
        ..application
    }
}

impl From<Answers> for wire::Answers {
    fn from(answers: Answers) -> Self {
        Self {
            name: answers.name,
            email: answers.email,
            mobile: answers.mobile,
            college: answers.college,
            degree: answers.degree,
            passing_year: answers.passing_year,
            role: answers.role.unwrap_or_default(),
            experience: answers.experience.to_string(),
            linkedin: answers.linkedin.unwrap_or_default(),
            motivation: answers.motivation,
        }
    }
}

impl From<Consents> for wire::Consents {
    fn from(consents: Consents) -> Self {
        let Consents { this_application, later_roles, notice_version } = consents;
        Self { this_application, later_roles, notice_version }
    }
}

impl From<Step> for wire::Step {
    fn from(step: Step) -> Self {
        match step {
            Step::Received => Self::Received,
            Step::InitialDiscussion => Self::InitialDiscussion,
            Step::TechnicalRound => Self::TechnicalRound,
            Step::TeamRound => Self::TeamRound,
            Step::FinalDiscussion => Self::FinalDiscussion,
            Step::Offered => Self::Offered,
            Step::Rejected => Self::Rejected,
        }
    }
}

fn parse_step(step: wire::Step) -> Option<Step> {
    match step {
        wire::Step::Unspecified => None,
        wire::Step::Received => Some(Step::Received),
        wire::Step::InitialDiscussion => Some(Step::InitialDiscussion),
        wire::Step::TechnicalRound => Some(Step::TechnicalRound),
        wire::Step::TeamRound => Some(Step::TeamRound),
        wire::Step::FinalDiscussion => Some(Step::FinalDiscussion),
        wire::Step::Offered => Some(Step::Offered),
        wire::Step::Rejected => Some(Step::Rejected),
    }
}

fn timestamp(at: OffsetDateTime) -> Timestamp {
    // Nanoseconds within a second are below 2³¹, so the cast keeps the value.
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}
