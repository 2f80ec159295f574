//! Texts of the emails to candidates and to the company.
//!
//! Emails to candidates contain no greeting by name: anyone can enter any name together with a stranger's address.

use mail::Email;
use time::OffsetDateTime;
use time::macros::{format_description, offset};

use crate::answers::Answers;
use crate::application::{AccessKey, Application, Step};
use crate::error::Error;

/// Templates of all emails.
pub(crate) struct EmailTemplates<'a> {
    /// Address of the site without a trailing slash, for links.
    pub(crate) site_url: &'a str,
}

impl EmailTemplates<'_> {
    pub(crate) fn receipt(&self, application: &Application, key: &AccessKey) -> Result<Email, Error> {
        let text = format!(
            "We received your application for {job}. Your application number is {id}.\n\n\
             You sent these details on {day}:\n\n\
             {answers}\n\
             {link}\n\
             Next steps: our team reviews your application. If it matches, there are four conversations of 30 minutes \
             each: Initial Discussion, Technical Round, Team Round and Final Discussion. We email you at every step.\n\n\
             We keep your application and resume until {until}, then we delete both. If you did not apply, delete the \
             application now with the link above.\n",
            job = application.job_title,
            id = application.application_id,
            day = format_date(application.received_at)?,
            answers = format_answers(application),
            link = self.application_link(key),
            until = format_date(application.expires_at)?,
        );
        let subject = format!("We received your application for {}", application.job_title);
        Ok(email(&application.answers.email, &subject, &text))
    }

    pub(crate) fn step(&self, application: &Application, note: &str, key: &AccessKey) -> Email {
        let job = &application.job_title;
        let news = match application.step {
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
        let text = format!("{news}\n{note}\n{}", self.application_link(key));
        email(&application.answers.email, &format!("Your application for {job}"), &text)
    }

    pub(crate) fn corrected(&self, application: &Application, key: &AccessKey) -> Email {
        let text = format!(
            "Your application for {} was corrected. These are your details now:\n\n{}\n{}",
            application.job_title,
            format_answers(application),
            self.application_link(key),
        );
        email(&application.answers.email, "Your application was corrected", &text)
    }

    pub(crate) fn withdrawn(&self, application: &Application, key: &AccessKey) -> Result<Email, Error> {
        let text = format!(
            "Your application for {job} ({id}) is withdrawn. We will not consider it further. We keep it until \
             {until}, then we delete it. You can also delete it now.\n\n{link}",
            job = application.job_title,
            id = application.application_id,
            until = format_date(application.expires_at)?,
            link = self.application_link(key),
        );
        Ok(email(&application.answers.email, "Your application is withdrawn", &text))
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
             {}/application/{}\n\n\
             Anyone with this link can do this, so do not share it.\n",
            self.site_url,
            key.expose(),
        )
    }
}

fn conversation(job: &str, round: &str, topics: &str) -> String {
    format!(
        "Your application for {job} has moved to the {round}: 30 minutes about {topics}. We will call you to agree on \
         a time."
    )
}

/// Lists everything that the candidate sent.
fn format_answers(application: &Application) -> String {
    let Answers { name, email, mobile, college, degree, passing_year, role, experience, linkedin, motivation } =
        &application.answers;
    let (role, linkedin) = (role.as_deref().unwrap_or("-"), linkedin.as_deref().unwrap_or("-"));
    let resume = &application.resume;
    let kib = resume.bytes.saturating_add(1023) / 1024;
    format!(
        "Name: {name}\nEmail: {email}\nMobile: {mobile}\nCollege: {college}\nDegree: {degree}\n\
         Graduation year: {passing_year}\nPreferred role: {role}\nYears of experience: {experience}\n\
         LinkedIn: {linkedin}\nResume: {} ({kib} KB)\n\nMotivation:\n{motivation}\n",
        resume.file_name,
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
