//! An application: what a candidate sent, and how far it has come.

use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::answers::{Answers, Consents, is_unseen, violation};
use crate::error::Error;

const LONGEST_FILE_NAME: usize = 150;
const LONGEST_KEY: usize = 64;

/// The steps of recruitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Its stable name.
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

    /// The step with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }
}

/// An application as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    pub(crate) application_id: String,
    pub(crate) job_id: String,
    pub(crate) job_title: String,
    pub(crate) answers: Answers,
    pub(crate) received_at: OffsetDateTime,
    pub(crate) step: Step,
    pub(crate) step_since: OffsetDateTime,
    pub(crate) resume: Resume,
    pub(crate) consents: Option<Consents>,
    pub(crate) withdrawn_at: Option<OffsetDateTime>,
    pub(crate) kept_until: OffsetDateTime,
}

/// What is known of a resume without reading it.
#[derive(Clone, Debug)]
pub(crate) struct Resume {
    /// Its name in the store.
    pub(crate) resume_id: Uuid,
    /// As the candidate's machine names it.
    pub(crate) file_name: String,
    pub(crate) bytes: i64,
    pub(crate) sha256: Vec<u8>,
}

/// An application that keeps all rules and is to be stored.
pub(crate) struct NewApplication {
    pub(crate) application_id: String,
    pub(crate) job_id: String,
    pub(crate) job_title: String,
    pub(crate) answers: Answers,
    pub(crate) consents: Option<Consents>,
    pub(crate) resume: Resume,
    pub(crate) idempotency_key: Option<String>,
}

impl NewApplication {
    /// What was asked, in 32 bytes: two requests are the same where these are. No text holds a NUL, which ends it.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let answers = &self.answers;
        let (passing_year, experience) = (answers.passing_year.to_string(), answers.experience.to_string());
        let agreed = self.consents.as_ref();
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
            agreed.map(|consents| consents.notice_version.as_str()).unwrap_or_default(),
            if agreed.is_some_and(|consents| consents.later_roles) { "later roles" } else { "" },
        ] {
            hash.update(text);
            hash.update([0]);
        }
        hash.update(&self.resume.sha256);
        hash.finalize().into()
    }
}

/// A new id: `TBA-` and eight characters that nobody confuses (Crockford's base 32). It opens nothing.
pub(crate) fn draw_id() -> Result<String, Error> {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(Error::Random)?;
    let drawn = random.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 32)).map(|c| char::from(*c)));
    Ok(["TBA-".to_owned(), drawn.collect()].concat())
}

/// What opens an application without an account: 32 random bytes as base64url. It does not print itself.
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn draw() -> Result<Self, Error> {
        rpc::secret::draw().map(Self).map_err(Error::Random)
    }

    /// The text itself. Whoever asks must not keep or log it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}

/// A name that can be shown: on one line, read from left to right, and not too long. Its ending stays.
pub(crate) fn tidy_file_name(name: &str) -> String {
    let mut tidy: Vec<char> = name.chars().filter(|c| !is_unseen(*c)).collect();
    if tidy.len() > LONGEST_FILE_NAME {
        let ending = tidy.split_off(tidy.len() - 5);
        tidy.truncate(LONGEST_FILE_NAME - 5);
        tidy.extend(ending);
    }
    tidy.into_iter().collect()
}

/// The client's name for a request, however often it is sent; none where it gave none.
pub(crate) fn idempotency_key(key: String) -> Result<Option<String>, Error> {
    if key.chars().count() > LONGEST_KEY || key.chars().any(is_unseen) {
        let message = "An Idempotency-Key has at most 64 characters on one line.";
        return Err(Error::Invalid(vec![violation("Idempotency-Key", "MALFORMED", message)]));
    }
    Ok(Some(key).filter(|key| !key.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_shown_on_one_line_with_its_ending() {
        assert_eq!(tidy_file_name("re\u{202e}sume\n.pdf"), "resume.pdf");
        let long = tidy_file_name(&format!("{}.docx", "ß".repeat(300)));
        assert_eq!(long.chars().count(), 150);
        assert!(long.ends_with(".docx"));
    }

    #[test]
    fn ids_and_keys_are_drawn_anew_each_time() {
        let (one, other) = (draw_id().unwrap(), draw_id().unwrap());
        assert!(one.len() == 12 && one.starts_with("TBA-") && one != other);
        assert_eq!(Key::draw().unwrap().expose().len(), 43);
        assert_ne!(Key::draw().unwrap().hash(), Key::draw().unwrap().hash());
    }
}
