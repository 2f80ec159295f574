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
             {retention} If you did not apply, delete the application now with the link above.\n",
            job = application.job_title,
            id = application.application_id,
            day = format_date(application.received_at)?,
            answers = format_answers(application),
            link = self.application_link(keyed),
            retention = self.format_retention(application)?,
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
        let link = self.application_link(keyed);
        let text = format!("{news}\n{note}\n{link}\nWe keep your application until {until}, then we delete it.\n");
        Ok(email(&application.answers.email, &format!("Your application for {job}"), &text))
    }

    /// Sends a note of the company that belongs to no new step.
    pub(crate) fn note(&self, keyed: &KeyedApplication, note: &str) -> Email {
        let job = &keyed.application.job_title;
        let link = self.application_link(keyed);
        let text = format!("We have a message about your application for {job}:\n\n{note}\n\n{link}");
        email(&keyed.application.answers.email, &format!("A message about your application for {job}"), &text)
    }

    pub(crate) fn corrected(&self, keyed: &KeyedApplication) -> Email {
        let text = format!(
            "Your application for {} was corrected.\n\n{}\n{}",
            keyed.application.job_title,
            format_answers(&keyed.application),
            self.application_link(keyed),
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
            link = self.application_link(keyed),
        );
        Ok(email(&application.answers.email, "Your application is withdrawn", &text))
    }

    /// Sends a new link after the candidate revoked the old ones.
    pub(crate) fn link(&self, keyed: &KeyedApplication) -> Email {
        let application = &keyed.application;
        let text = format!(
            "Here is the new link to your application for {} ({}). Earlier links no longer work.\n\n{}",
            application.job_title,
            application.application_id,
            self.application_link(keyed),
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
             email.\n\n{links}Anyone with a link can see, change or delete the application, so do not share it.\n"
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

    /// Returns the link with the actions that are possible in the current state of the application.
    fn application_link(&self, KeyedApplication { application, key }: &KeyedApplication) -> String {
        let actions = match (application.withdrawn_at, application.step) {
            (Some(_), _) => "View or delete",
            (None, Step::Received) => "View, correct, withdraw or delete",
            (None, _) => "View, withdraw or delete",
        };
        format!(
            "{actions} your application:\n\n{}\n\nAnyone with this link can do this, so do not share it.\n",
            self.link_url(key),
        )
    }

    /// States when the application is deleted: while it is open, after the decision, and after a withdrawal.
    fn format_retention(&self, application: &Application) -> Result<String, Error> {
        let Retention { keep_applications_days, keep_decided_applications_days, keep_withdrawn_applications_days } =
            self.retention;
        let is_kept_for_later_roles = application.consents.as_ref().is_some_and(|consents| consents.later_roles);
        let decided = if is_kept_for_later_roles {
            format!("for {} because you agreed that we keep them for later roles", format_days(keep_applications_days))
        } else {
            format!("for {}", format_days(keep_decided_applications_days))
        };
        Ok(format!(
            "We delete your application and resume when we no longer need them. While we decide, we keep them for at \
             most {open} after the last step: until {until} if there is no further step. After our decision we keep \
             them {decided}. If you withdraw, we keep them for {withdrawn}.",
            open = format_days(keep_applications_days),
            until = format_date(application.expires_at)?,
            withdrawn = format_days(keep_withdrawn_applications_days),
        ))
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

/// Formats a number of days, as the privacy notice of the application form does: 365 days are 12 months.
fn format_days(days: u32) -> String {
    match days {
        365 => "12 months".to_owned(),
        1 => "1 day".to_owned(),
        _ => format!("{days} days"),
    }
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
