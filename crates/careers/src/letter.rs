//! What letters say.
//!
//! Those to candidates greet nobody by name: whoever fills in the form chooses a name, and a stranger's address, freely.

use mail::Letter;
use time::OffsetDateTime;
use time::macros::{format_description, offset};

use crate::answers::Answers;
use crate::application::{Application, Key, Step};
use crate::error::Error;

/// What letters say, with the site that they lead to.
pub(crate) struct Words<'a> {
    /// The address of the site, without a slash at its end.
    pub(crate) site: &'a str,
}

impl Words<'_> {
    pub(crate) fn receipt(&self, application: &Application, key: &Key) -> Result<Letter, Error> {
        let text = format!(
            "We have your application for {job}. Its number is {id}.\n\n\
             This is what you sent on {day}:\n\n\
             {answers}\n\
             {link}\n\
             What comes next: our team reads it. If it fits, there are four talks of 30 minutes each, one after the \
             other: Initial Discussion, Technical Round, Team Round and Final Discussion. We write to you at every \
             step.\n\n\
             We keep the application with your resume until {until}, then we erase both. If it was not you who \
             applied, erase it now by the link above.\n",
            job = application.job_title,
            id = application.application_id,
            day = day(application.received_at)?,
            answers = listed(application),
            link = self.link(key),
            until = day(application.kept_until)?,
        );
        Ok(letter(
            &application.answers.email,
            &format!("We have your application for {}", application.job_title),
            &text,
        ))
    }

    pub(crate) fn step(&self, application: &Application, note: &str, key: &Key) -> Letter {
        let job = &application.job_title;
        let news = match application.step {
            Step::Received => format!("Your application for {job} is back at its beginning. We will look at it again."),
            Step::InitialDiscussion => talk(job, "Initial Discussion", "your experience and what you are looking for"),
            Step::TechnicalRound => talk(job, "Technical Round", "solving a problem together, and how you work"),
            Step::TeamRound => talk(job, "Team Round", "the team, and what a day with us looks like"),
            Step::FinalDiscussion => talk(job, "Final Discussion", "the offer, the start date and what is left to do"),
            Step::Offered => format!("Good news: we would like you to join us as {job}. We will call you about it."),
            Step::Rejected => format!(
                "Thank you for the time that you took to apply for {job}. We have decided to go on with other \
                 candidates. We wish you well, and you are welcome to apply for another opening."
            ),
        };
        let note = if note.is_empty() { String::new() } else { format!("\n{note}\n") };
        let text = format!("{news}\n{note}\n{}", self.link(key));
        letter(&application.answers.email, &format!("Your application for {job}"), &text)
    }

    pub(crate) fn corrected(&self, application: &Application, key: &Key) -> Letter {
        let text = format!(
            "Your application for {} was corrected. This is what we have now:\n\n{}\n{}",
            application.job_title,
            listed(application),
            self.link(key),
        );
        letter(&application.answers.email, "Your application was corrected", &text)
    }

    pub(crate) fn withdrawn(&self, application: &Application, key: &Key) -> Result<Letter, Error> {
        let text = format!(
            "Your application for {job} ({id}) is withdrawn. Nobody goes on with it. We keep it until {until}, then \
             we erase it; you can erase it at once.\n\n{link}",
            job = application.job_title,
            id = application.application_id,
            until = day(application.kept_until)?,
            link = self.link(key),
        );
        Ok(letter(&application.answers.email, "Your application is withdrawn", &text))
    }

    pub(crate) fn erased(&self, email: &str, job_title: &str, application_id: &str) -> Letter {
        let text = format!(
            "Your application for {job_title} ({application_id}) is erased, and your resume with it. Links to it work \
             no more.\n\n\
             You can apply again at any time:\n\n\
             {}/careers\n",
            self.site,
        );
        letter(email, "Your application is erased", &text)
    }

    /// Says no more of the candidate than is needed to look: a mailbox forgets nothing.
    pub(crate) fn new_application(&self, inbox: &str, application: &Application) -> Letter {
        let (job, id) = (&application.job_title, &application.application_id);
        let text = format!(
            "There is a new application for {job}: {id}.\n\n\
             Read it on the server:\n\n\
             tradebahi applications show {id}\n\
             tradebahi applications resume {id}\n",
        );
        letter(inbox, &format!("New application for {job}: {id}"), &text)
    }

    fn link(&self, key: &Key) -> String {
        format!(
            "See, correct, withdraw or erase your application here:\n\n\
             {}/application/{}\n\n\
             Whoever has this link can do that, so do not pass it on.\n",
            self.site,
            key.expose(),
        )
    }
}

fn talk(job: &str, round: &str, about: &str) -> String {
    format!(
        "Your application for {job} has moved on to the {round}: 30 minutes about {about}. We will call you to find a \
         time."
    )
}

/// All that the candidate sent.
fn listed(application: &Application) -> String {
    let Answers { name, email, mobile, college, degree, passing_year, role, experience, linkedin, motivation } =
        &application.answers;
    let (role, linkedin) = (role.as_deref().unwrap_or("-"), linkedin.as_deref().unwrap_or("-"));
    let resume = &application.resume;
    let kib = resume.bytes.saturating_add(1023) / 1024;
    format!(
        "Name: {name}\nE-mail: {email}\nMobile: {mobile}\nCollege: {college}\nDegree: {degree}\n\
         Graduation year: {passing_year}\nPreferred role: {role}\nYears of experience: {experience}\n\
         LinkedIn: {linkedin}\nResume: {} ({kib} KB)\n\nMotivation:\n{motivation}\n",
        resume.file_name,
    )
}

/// A day, as in India.
fn day(at: OffsetDateTime) -> Result<String, Error> {
    let format = format_description!("[day padding:none] [month repr:long] [year]");
    at.to_offset(offset!(+5:30)).format(format).map_err(Error::Date)
}

fn letter(to: &str, subject: &str, text: &str) -> Letter {
    let text = format!("Namaste,\n\n{text}\nTradeBahi\n");
    Letter { to: to.to_owned(), subject: format!("{subject} - TradeBahi"), text }
}
