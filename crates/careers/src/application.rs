//! Applications, their steps of recruitment and their access keys.

use rpc::failure::Violation;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::answers::{Answers, Consents, is_unprintable};
use crate::error::Error;

const MAX_FILE_NAME_CHARS: usize = 150;
/// Characters kept of the end of a shortened file name; enough for the extension.
const FILE_NAME_END_CHARS: usize = 5;
const MAX_IDEMPOTENCY_KEY_CHARS: usize = 64;

/// Step of recruitment. Ordered from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Received,
    InitialDiscussion,
    TechnicalRound,
    TeamRound,
    FinalDiscussion,
    Offered,
    Rejected,
}

impl Step {
    const ALL: [Self; 7] = [
        Self::Received,
        Self::InitialDiscussion,
        Self::TechnicalRound,
        Self::TeamRound,
        Self::FinalDiscussion,
        Self::Offered,
        Self::Rejected,
    ];

    /// Returns the stable name that the database stores.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::InitialDiscussion => "initial-discussion",
            Self::TechnicalRound => "technical-round",
            Self::TeamRound => "team-round",
            Self::FinalDiscussion => "final-discussion",
            Self::Offered => "offered",
            Self::Rejected => "rejected",
        }
    }

    /// Parses a name in the database. An unknown one is an internal error, not a fault of the caller.
    pub(crate) fn parse_stored(name: &str) -> Result<Self, Error> {
        Self::from_name(name).ok_or_else(|| Error::Database(sqlx::Error::Decode("unknown step in careers".into())))
    }

    /// Parses a name that [`Step::name`] returned.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }
}

/// Returns the conversations that took place before `current`, from the steps in the order in which the company set them.
/// A step back also takes back the steps after it, because the company may have set them by mistake.
pub(crate) fn past_conversations(history: &[Step], current: Step) -> Vec<Step> {
    let mut past: Vec<Step> = Vec::new();
    for step in history {
        past.retain(|earlier| earlier < step);
        past.push(*step);
    }
    past.retain(|step| *step < current && (Step::InitialDiscussion..=Step::FinalDiscussion).contains(step));
    past
}

/// Stored application.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    pub(crate) application_id: String,
    pub(crate) job_id: String,
    pub(crate) job_title: String,
    pub(crate) answers: Answers,
    pub(crate) received_at: OffsetDateTime,
    pub(crate) step: Step,
    pub(crate) step_since: OffsetDateTime,
    /// Conversations that took place before the current step.
    pub(crate) past_steps: Vec<Step>,
    pub(crate) resume: Resume,
    pub(crate) consents: Option<Consents>,
    pub(crate) withdrawn_at: Option<OffsetDateTime>,
    pub(crate) expires_at: OffsetDateTime,
    /// Time of the company's last access other than a list; `None` if there was none.
    pub(crate) last_viewed_at: Option<OffsetDateTime>,
}

/// Metadata of a resume.
#[derive(Clone, Debug)]
pub(crate) struct Resume {
    /// Name of the file in the resume store.
    pub(crate) resume_id: Uuid,
    /// File name on the candidate's device.
    pub(crate) file_name: String,
    pub(crate) bytes: i64,
    pub(crate) sha256: Vec<u8>,
}

/// Valid application that is not stored yet.
pub(crate) struct NewApplication {
    pub(crate) application_id: String,
    pub(crate) job_id: String,
    pub(crate) job_title: String,
    pub(crate) answers: Answers,
    pub(crate) consents: Option<Consents>,
    pub(crate) resume: Resume,
    pub(crate) idempotency_key: Option<String>,
    /// Token with which the browser that applied can correct the email address.
    pub(crate) email_correction_token: AccessKey,
}

impl NewApplication {
    /// Returns the SHA-256 of the request, by which a retry is recognised.
    ///
    /// Every text ends with a NUL, which no text contains.
    pub(crate) fn request_digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let answers = &self.answers;
        let (passing_year, experience) = (answers.passing_year.to_string(), answers.experience.to_string());
        let consents = self.consents.as_ref();
        for text in [
            answers.name.as_str(),
            &answers.email,
            &answers.mobile,
            &answers.college,
            &answers.degree,
            &passing_year,
            answers.role.as_deref().unwrap_or_default(),
            &experience,
            answers.linkedin.as_deref().unwrap_or_default(),
            &answers.motivation,
            consents.map(|consents| consents.notice_version.as_str()).unwrap_or_default(),
            if consents.is_some_and(|consents| consents.later_roles) { "later roles" } else { "" },
        ] {
            hash.update(text);
            hash.update([0]);
        }
        hash.update(&self.resume.sha256);
        hash.finalize().into()
    }
}

/// Generates an application id: `TBA-` and eight characters of Crockford's base 32, which has no similar characters.
/// The id gives no access to the application.
pub(crate) fn generate_application_id() -> Result<String, Error> {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(Error::Random)?;
    let characters = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32)).map(|c| char::from(*c)));
    Ok(["TBA-".to_owned(), characters.collect()].concat())
}

/// Access key of an application: 32 random bytes as base64url, sent to the candidate by email. Grants access without
/// an account. Has no `Debug` and no `Display`, so that it is not logged by mistake.
pub(crate) struct AccessKey(String);

impl AccessKey {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn generate() -> Result<Self, Error> {
        rpc::secret::generate().map(Self).map_err(Error::Random)
    }

    /// Returns the secret text. Do not store or log it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the SHA-256 that the database stores instead of the key.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}

/// Removes unprintable characters from a file name and shortens it, keeping the extension.
pub(crate) fn sanitize_file_name(name: &str) -> String {
    let mut chars: Vec<char> = name.chars().filter(|c| !is_unprintable(*c)).collect();
    if chars.len() > MAX_FILE_NAME_CHARS {
        let end = chars.split_off(chars.len() - FILE_NAME_END_CHARS);
        chars.truncate(MAX_FILE_NAME_CHARS - FILE_NAME_END_CHARS);
        chars.extend(end);
    }
    chars.into_iter().collect()
}

/// Validates the idempotency key of a request; returns `None` if it is empty.
pub(crate) fn parse_idempotency_key(key: String) -> Result<Option<String>, Error> {
    if key.chars().count() > MAX_IDEMPOTENCY_KEY_CHARS || key.chars().any(is_unprintable) {
        let violation = Violation::new("form.idempotency_key", "INVALID");
        return Err(Error::Invalid(vec![violation.with("max_chars", MAX_IDEMPOTENCY_KEY_CHARS)]));
    }
    Ok(Some(key).filter(|key| !key.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sanitized_file_name_has_one_line_and_keeps_its_extension() {
        assert_eq!(sanitize_file_name("re\u{202e}sume\n.pdf"), "resume.pdf");
        let long = sanitize_file_name(&format!("{}.docx", "ß".repeat(300)));
        assert_eq!(long.chars().count(), 150);
        assert!(long.ends_with(".docx"));
    }

    #[test]
    fn only_steps_that_were_reached_count_as_past() {
        use Step::{FinalDiscussion, InitialDiscussion, Offered, Received, Rejected, TeamRound, TechnicalRound};
        for (history, past) in [
            (&[][..], &[][..]),
            (&[InitialDiscussion], &[]),
            (&[InitialDiscussion, TechnicalRound, TechnicalRound], &[InitialDiscussion]),
            (&[TechnicalRound, Offered], &[TechnicalRound]),
            (&[InitialDiscussion, TeamRound, InitialDiscussion, FinalDiscussion], &[InitialDiscussion]),
            (&[TechnicalRound, Received], &[]),
            (&[TechnicalRound, Rejected], &[TechnicalRound]),
            (&[TechnicalRound, Rejected, TeamRound], &[TechnicalRound]),
        ] {
            let current = history.last().copied().unwrap_or(Received);
            assert_eq!(past_conversations(history, current), past, "{history:?}");
        }
    }

    #[test]
    fn generated_ids_and_keys_are_unique() {
        let (one, other) = (generate_application_id().unwrap(), generate_application_id().unwrap());
        assert!(one.len() == 12 && one.starts_with("TBA-") && one != other);
        assert_eq!(AccessKey::generate().unwrap().expose().len(), 43);
        assert_ne!(AccessKey::generate().unwrap().hash(), AccessKey::generate().unwrap().hash());
    }
}
