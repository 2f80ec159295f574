//! Tests of the emails about steps.

use rpc::careers::v1::{SetApplicationStepResponse, Step};
use sqlx::PgPool;

use crate::fixtures::pdf;
use crate::{Careers, access_key, form, reason, violations};

const STEPS: [(Step, &str); 7] = [
    (Step::InitialDiscussion, "has moved to the Initial Discussion"),
    (Step::TechnicalRound, "has moved to the Technical Round"),
    (Step::TeamRound, "has moved to the Team Round"),
    (Step::FinalDiscussion, "has moved to the Final Discussion"),
    (Step::Offered, "we would like you to join us"),
    (Step::Rejected, "to continue with other candidates"),
    (Step::Received, "is back at the first step"),
];

/// Returns the steps that the text of an email announces.
fn announced_steps(email: &str) -> Vec<Step> {
    let email = email.replace('\n', " ");
    STEPS.into_iter().filter(|(_, text)| email.contains(text)).map(|(step, _)| step).collect()
}

async fn submit(careers: &Careers) -> String {
    let key = careers.submit().await;
    careers.find_own(&key).await.unwrap().application_id
}

/// [4R-01]
#[sqlx::test(migrations = "../../migrations")]
async fn w5_the_candidate_is_notified_of_every_step_once(pool: PgPool) {
    let careers = Careers::new(&pool);
    let id = submit(&careers).await;
    for (number, (step, _)) in STEPS.into_iter().enumerate() {
        let note = format!("Bring laptop {number}.");
        let changed = careers.set_step(&id, step, &note).await.unwrap();
        assert!(changed.email_queued && !changed.email_replaced);
        let email = careers.single_email().await;
        assert!(email.contains("To: asha.rao@example.in"), "{email}");
        assert_eq!(announced_steps(&email), [step], "{email}");
        assert!(email.contains(&format!("\n{note}\n")) && email.matches("Bring laptop").count() == 1, "{email}");
        assert_eq!(careers.find_own(&access_key(&email)).await.unwrap().step(), step);
        assert_eq!(careers.emails().await.len(), 0, "sent once");
    }
    let rejected = careers.set_step(&id, Step::Unspecified, "").await.unwrap_err();
    assert_eq!(violations(&rejected), [("step".to_owned(), "INVALID".to_owned())]);
    let rejected = careers.set_step(&id, Step::Offered, &"x".repeat(1_001)).await.unwrap_err();
    assert_eq!(violations(&rejected), [("note".to_owned(), "INVALID".to_owned())]);
    assert_eq!(reason(&careers.set_step("TBA-0", Step::Offered, "").await.unwrap_err()), "APPLICATION_NOT_FOUND");
}

/// [C1]
#[sqlx::test(migrations = "../../migrations")]
async fn c1_quick_moves_are_told_as_the_latest_step_with_its_own_note(pool: PgPool) {
    let careers = Careers::new(&pool);
    let id = submit(&careers).await;
    for (number, (step, _)) in STEPS.into_iter().chain([(Step::Rejected, "")]).enumerate() {
        let changed = careers.set_step(&id, step, &format!("Note {number}.")).await.unwrap();
        assert_eq!(changed.email_replaced, number > 0, "the company learns that an unsent email was replaced");
    }
    let email = careers.single_email().await;
    assert_eq!(announced_steps(&email), [Step::Rejected]);
    assert!(email.contains("Note 7.") && email.matches("Note ").count() == 1, "{email}");
}

/// [C1] An email that another process has already claimed is worded for its own step.
#[sqlx::test(migrations = "../../migrations")]
async fn c1_an_email_is_worded_for_the_step_that_queued_it(pool: PgPool) {
    let careers = Careers::new(&pool);
    let id = submit(&careers).await;
    careers.set_step(&id, Step::TeamRound, "Bring a laptop.").await.unwrap();
    sqlx::query("update careers.application set step = 'rejected'").execute(&pool).await.unwrap();
    let email = careers.single_email().await;
    assert_eq!(announced_steps(&email), [Step::TeamRound], "{email}");
}

/// [C1]
#[sqlx::test(migrations = "../../migrations")]
async fn c1_no_step_is_announced_after_a_withdrawal(pool: PgPool) {
    let careers = Careers::new(&pool);
    let key = careers.submit().await;
    let id = careers.find_own(&key).await.unwrap().application_id;
    careers.set_step(&id, Step::TeamRound, "").await.unwrap();
    careers.withdraw(&key).await.unwrap();
    assert!(careers.single_email().await.contains("is withdrawn"));
}

/// [C3]
#[sqlx::test(migrations = "../../migrations")]
async fn c3_without_a_new_step_only_a_note_is_sent(pool: PgPool) {
    let careers = Careers::new(&pool);
    let id = submit(&careers).await;
    careers.set_step(&id, Step::TeamRound, "").await.unwrap();
    careers.single_email().await;
    let SetApplicationStepResponse { email_queued, .. } = careers.set_step(&id, Step::TeamRound, "").await.unwrap();
    assert!(!email_queued, "the company learns that nothing is sent");
    assert_eq!(careers.emails().await.len(), 0);
    for note in ["Bring a laptop.", "Bring a pen."] {
        assert!(careers.set_step(&id, Step::TeamRound, note).await.unwrap().email_queued);
    }
    let emails = careers.emails().await;
    assert_eq!(emails.len(), 2, "no note is dropped: {emails:?}");
    for note in ["Bring a laptop.", "Bring a pen."] {
        let email = emails.iter().find(|email| email.contains(note)).unwrap();
        assert_eq!(announced_steps(email), []);
        assert!(email.contains("We have a message about your application for Frontend Intern"), "{email}");
    }
}

/// [C1]
#[sqlx::test(migrations = "../../migrations")]
async fn c1_notes_are_sent_in_order_and_not_without_their_step(pool: PgPool) {
    let careers = Careers::new(&pool);
    let id = submit(&careers).await;
    careers.set_step(&id, Step::TeamRound, "").await.unwrap();
    for number in 1..=9 {
        careers.set_step(&id, Step::TeamRound, &format!("Note {number}.")).await.unwrap();
    }
    let emails = careers.emails().await;
    assert_eq!(announced_steps(&emails[0]), [Step::TeamRound]);
    let notes: Vec<usize> = (1..=9).filter(|number| emails[*number].contains(&format!("Note {number}."))).collect();
    assert_eq!((emails.len(), notes), (10, (1..=9).collect()));
    // A step that is taken back before its email is sent, with the note about it.
    careers.set_step(&id, Step::FinalDiscussion, "").await.unwrap();
    careers.set_step(&id, Step::FinalDiscussion, "Come on Monday.").await.unwrap();
    assert!(careers.set_step(&id, Step::Rejected, "").await.unwrap().email_replaced);
    let email = careers.single_email().await;
    assert!(announced_steps(&email) == [Step::Rejected] && !email.contains("Monday"), "{email}");
    // A note about a step that was announced is sent.
    careers.set_step(&id, Step::Rejected, "Thank you for coming.").await.unwrap();
    careers.set_step(&id, Step::TeamRound, "").await.unwrap();
    careers.set_step(&id, Step::Offered, "").await.unwrap();
    let emails = careers.emails().await;
    assert_eq!(emails.len(), 2, "{emails:?}");
    assert!(emails[0].contains("Thank you for coming."), "{}", emails[0]);
    assert_eq!(announced_steps(&emails[1]), [Step::Offered]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn emails_offer_only_the_actions_that_are_still_possible(pool: PgPool) {
    const CORRECT: &str = "View, correct, withdraw or delete your application:";
    let careers = Careers::new(&pool);
    careers.apply(form(), &pdf()).await.unwrap();
    let receipt = careers.single_email().await;
    assert!(receipt.contains(CORRECT), "{receipt}");
    let key = access_key(&receipt);
    let id = careers.find_own(&key).await.unwrap().application_id;
    for step in [Step::TeamRound, Step::Offered, Step::Rejected] {
        careers.set_step(&id, step, "").await.unwrap();
        let email = careers.single_email().await;
        assert!(email.contains("View, withdraw or delete your application:") && !email.contains("correct"), "{email}");
    }
    careers.set_step(&id, Step::Received, "").await.unwrap();
    let email = careers.single_email().await;
    assert!(email.contains(CORRECT), "{email}");
    careers.withdraw(&key).await.unwrap();
    let email = careers.single_email().await;
    assert!(email.contains("View or delete your application:") && !email.contains("correct"), "{email}");
}
