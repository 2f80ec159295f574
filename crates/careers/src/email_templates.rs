//! Texts of the emails to candidates and to the company.
//!
//! Emails to candidates contain no free text of the form, not even a greeting by name: anyone can enter any text together
//! with a stranger's address.

use mail::Email;
use time::OffsetDateTime;
use time::macros::{format_description, offset};

use crate::answers::Answers;
use crate::application::{AccessKey, Application, Step};
use crate::error::Error;
use crate::form_choices::{self, label};
use crate::settings::Retention;

/// Application with the key of a link to it.
pub(crate) struct KeyedApplication {
    pub(crate) application: Application,
    pub(crate) key: AccessKey,
}

/// Templates of all emails.
pub(crate) struct EmailTemplates<'a> {
    /// Address of the site without a trailing slash, for links.
    pub(crate) site_url: &'a str,
    pub(crate) retention: Retention,
}

impl EmailTemplates<'_> {
    pub(crate) fn receipt(&self, keyed: &KeyedApplication) -> Result<Email, Error> {
        let application = &keyed.application;
        let text = format!(
            "We received your application for {job} on {day}. Your application number is {id}.\n\n\
             {answers}\n\
             {link}\n\
             Next steps: our team reviews your application. If it matches, there are four conversations of 30 minutes \
             each: Initial Discussion, Technical Round, Team Round and Final Discussion. We email you at every step.\n\n\
             We keep your application and resume while we decide, until {until} at the latest. After our decision we keep \
             them for {decided} days, or for {agreed} days if you agreed that we keep them for later roles. Then we \
             delete both. If you did not apply, delete the application now with the link above.\n",
            job = application.job_title,
            id = application.application_id,
            day = format_date(application.received_at)?,
            answers = format_answers(application),
            link = self.application_link(&keyed.key),
            until = format_date(application.expires_at)?,
            decided = self.retention.keep_decided_applications_days,
            agreed = self.retention.keep_applications_days,
        );
        let subject = format!("We received your application for {}", application.job_title);
        Ok(email(&application.answers.email, &subject, &text))
    }

    /// Announces `step`, which the application may have left again.
    pub(crate) fn step(&self, keyed: &KeyedApplication, step: Step, note: &str) -> Result<Email, Error> {
        let application = &keyed.application;
        let job = &application.job_title;
        let news = match step {
            Step::Received => format!("Your application for {job} is back at the first step. We will review it again."),
            Step::InitialDiscussion => {
                conversation(job, "Initial Discussion", "your experience and what you are looking for")
            }
            Step::TechnicalRound => {
                conversation(job, "Technical Round", "solving a problem together, and how you work")
            }
            Step::TeamRound => conversation(job, "Team Round", "the team, and a typical day with us"),
            Step::FinalDiscussion => {
                conversation(job, "Final Discussion", "the offer, the start date and the remaining steps")
            }
            Step::Offered => format!("Good news: we would like you to join us as {job}. We will call you about it."),
            Step::Rejected => format!(
                "Thank you for taking the time to apply for {job}. We have decided to continue with other candidates. \
                 We wish you well, and you are welcome to apply for another opening."
            ),
        };
        let note = if note.is_empty() { String::new() } else { format!("\n{note}\n") };
        let until = format_date(application.expires_at)?;
        let link = self.application_link(&keyed.key);
        let text = format!("{news}\n{note}\n{link}\nWe keep your application until {until}, then we delete it.\n");
        Ok(email(&application.answers.email, &format!("Your application for {job}"), &text))
    }

    /// Sends a note of the company that belongs to no new step.
    pub(crate) fn note(&self, keyed: &KeyedApplication, note: &str) -> Email {
        let job = &keyed.application.job_title;
        let link = self.application_link(&keyed.key);
        let text = format!("We have a message about your application for {job}:\n\n{note}\n\n{link}");
        email(&keyed.application.answers.email, &format!("A message about your application for {job}"), &text)
    }

    pub(crate) fn corrected(&self, keyed: &KeyedApplication) -> Email {
        let text = format!(
            "Your application for {} was corrected.\n\n{}\n{}",
            keyed.application.job_title,
            format_answers(&keyed.application),
            self.application_link(&keyed.key),
        );
        email(&keyed.application.answers.email, "Your application was corrected", &text)
    }

    pub(crate) fn withdrawn(&self, keyed: &KeyedApplication) -> Result<Email, Error> {
        let application = &keyed.application;
        let text = format!(
            "Your application for {job} ({id}) is withdrawn. We will not consider it further. We keep it until \
             {until}, then we delete it. You can also delete it now.\n\n{link}",
            job = application.job_title,
            id = application.application_id,
            until = format_date(application.expires_at)?,
            link = self.application_link(&keyed.key),
        );
        Ok(email(&application.answers.email, "Your application is withdrawn", &text))
    }

    /// Sends a new link after the candidate revoked the old ones.
    pub(crate) fn link(&self, keyed: &KeyedApplication) -> Email {
        let KeyedApplication { application, key } = keyed;
        let text = format!(
            "Here is the new link to your application for {} ({}). Earlier links no longer work.\n\n{}",
            application.job_title,
            application.application_id,
            self.application_link(key),
        );
        email(&application.answers.email, "The new link to your application", &text)
    }

    /// Sends new links to all applications of one address; `None` if there are no applications.
    pub(crate) fn links(&self, applications: &[KeyedApplication]) -> Option<Email> {
        let recipient = &applications.first()?.application.answers.email;
        let links: String = applications
            .iter()
            .map(|KeyedApplication { application, key }| {
                format!("{} ({}):\n{}\n\n", application.job_title, application.application_id, self.link_url(key))
            })
            .collect();
        let text = format!(
            "Somebody asked for new links to the applications of this email address. If it was not you, ignore this \
             email.\n\n{links}Anyone with a link can see, correct, withdraw or delete the application, so do not share \
             it.\n"
        );
        Some(email(recipient, "Links to your applications", &text))
    }

    pub(crate) fn deleted(&self, recipient: &str, job_title: &str, application_id: &str) -> Email {
        let text = format!(
            "Your application for {job_title} ({application_id}) and your resume are deleted. Links to them no longer \
             work.\n\n\
             You can apply again at any time:\n\n\
             {}/careers\n",
            self.site_url,
        );
        email(recipient, "Your application is deleted", &text)
    }

    /// Notifies the company. Contains no personal data, because a mailbox may keep emails for longer than the
    /// application is kept.
    pub(crate) fn new_application(&self, inbox: &str, application: &Application) -> Email {
        let (job, id) = (&application.job_title, &application.application_id);
        let text = format!(
            "There is a new application for {job}: {id}.\n\n\
             View it on the server:\n\n\
             tradebahi applications show {id}\n\
             tradebahi applications resume {id}\n",
        );
        email(inbox, &format!("New application for {job}: {id}"), &text)
    }

    fn application_link(&self, key: &AccessKey) -> String {
        format!(
            "View, correct, withdraw or delete your application:\n\n\
             {}\n\n\
             Anyone with this link can do this, so do not share it.\n",
            self.link_url(key),
        )
    }

    /// Returns the URL of a link. The key is in the fragment, which browsers do not send to servers.
    fn link_url(&self, key: &AccessKey) -> String {
        format!("{}/application#{}", self.site_url, key.expose())
    }
}

fn conversation(job: &str, round: &str, topics: &str) -> String {
    format!(
        "Your application for {job} has moved to the {round}: 30 minutes about {topics}. We will call you to agree on \
         a time."
    )
}

/// Lists the answers that are choices or numbers. Free text is left out: anyone can enter any text together with a
/// stranger's address.
fn format_answers(application: &Application) -> String {
    let Answers { degree, passing_year, role, experience, .. } = &application.answers;
    let degree = label(form_choices::degrees(), degree);
    let role = role.as_deref().map_or("None", |role| label(form_choices::roles(), role));
    format!(
        "Degree: {degree}\nGraduation year: {passing_year}\nYears of experience: {experience}\n\
         Preferred role: {role}\n",
    )
}

/// Formats a date in India time.
fn format_date(at: OffsetDateTime) -> Result<String, Error> {
    let format = format_description!("[day padding:none] [month repr:long] [year]");
    at.to_offset(offset!(+5:30)).format(format).map_err(Error::Date)
}

fn email(recipient: &str, subject: &str, text: &str) -> Email {
    let text = format!("Namaste,\n\n{text}\nTradeBahi\n");
    Email { to: recipient.to_owned(), subject: format!("{subject} - TradeBahi"), text }
}
