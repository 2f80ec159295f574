//! A letter's way to a mail server, in a real conversation, and to a file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use mail::{Error, Letter, Mailer, Settings};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

fn letter() -> Letter {
    Letter {
        to: "asha@example.in".to_owned(),
        subject: "नमस्ते Asha".to_owned(),
        text: "Open this:\n\nhttps://tradebahi.example/a-long-link-that-is-not-broken-into-lines-of-76?token=abc\n.\nThat is all.\n".to_owned(),
    }
}

fn mailer(listener: &TcpListener) -> Mailer {
    let settings = Settings {
        smtp_url: Some(format!("smtp://{}", listener.local_addr().unwrap())),
        mail_from: Some("TradeBahi <no-reply@tradebahi.example>".to_owned()),
    };
    Mailer::new(&settings, "unused".into()).unwrap()
}

/// Answers one client. Before the letter itself it says `to_data`. Gives back every line that it was told.
async fn converse(stream: TcpStream, to_data: &str) -> Vec<String> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut heard, mut in_letter) = (Vec::new(), false);
    write.write_all(b"220 mail.example\r\n").await.unwrap();
    while let Some(line) = lines.next_line().await.unwrap() {
        let answer = match line.split(' ').next().unwrap() {
            "." if in_letter => {
                in_letter = false;
                "250 taken"
            }
            _ if in_letter => "",
            "DATA" => {
                in_letter = to_data.starts_with('3');
                to_data
            }
            "QUIT" => "221 bye",
            _ => "250 fine",
        };
        heard.push(line);
        if !answer.is_empty() {
            write.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
        }
    }
    heard
}

fn serve(listener: TcpListener, to_data: &'static [&str]) -> JoinHandle<Vec<Vec<String>>> {
    tokio::spawn(async move {
        let mut conversations = Vec::new();
        for answer in to_data {
            conversations.push(converse(listener.accept().await.unwrap().0, answer).await);
        }
        conversations
    })
}

#[tokio::test]
async fn a_letter_is_handed_to_the_mail_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    let server = serve(listener, &["354 go on"]);
    mailer.send(letter()).await.unwrap();
    let heard = server.await.unwrap().remove(0);
    assert_eq!(heard[0], "EHLO tradebahi.example");
    assert!(heard[1].starts_with("MAIL FROM:<no-reply@tradebahi.example>"), "{}", heard[1]);
    assert_eq!(heard[2..4], ["RCPT TO:<asha@example.in>", "DATA"]);
    for line in [
        "From: TradeBahi <no-reply@tradebahi.example>",
        "To: asha@example.in",
        "Subject: =?utf-8?b?4KSo4KSu4KS44KWN4KSk4KWH?= Asha",
        "Auto-Submitted: auto-generated",
        "https://tradebahi.example/a-long-link-that-is-not-broken-into-lines-of-76?token=abc",
        // A line of one dot alone would end the letter.
        "..",
        "That is all.",
    ] {
        assert!(heard.iter().any(|heard| heard == line), "{line} in {heard:#?}");
    }
}

#[tokio::test]
async fn what_the_mail_server_put_off_can_be_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    let server = serve(listener, &["451 later, asha@example.in", "354 go on"]);
    let refused = mailer.send(letter()).await.unwrap_err();
    assert!(matches!(&refused, Error::Send(smtp) if smtp.is_transient()), "{refused:?}");
    assert_eq!(refused.to_string(), "the mail server answered 451");
    mailer.send(letter()).await.unwrap();
    assert_eq!(server.await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_dead_mail_server_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    drop(listener);
    assert!(matches!(mailer.send(letter()).await, Err(Error::Send(_))));
}

#[tokio::test(start_paused = true)]
async fn a_mail_server_that_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    let (sent, _silent) = tokio::join!(mailer.send(letter()), listener.accept());
    assert!(sent.is_err());
}

#[tokio::test]
async fn no_address_or_subject_makes_a_header_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::new(&Settings::default(), folder.path().to_owned()).unwrap();
    for to in ["asha@example.in\r\nBcc: eve@example.in", "asha@example.in, eve@example.in", "a@b\n.in", ""] {
        let refused = mailer.send(Letter { to: to.to_owned(), ..letter() }).await;
        assert!(matches!(refused, Err(Error::Address(_))), "{to:?}");
    }
    let subject = "Hello\r\nBcc: eve@example.in\r\n\r\nA text of mine".to_owned();
    mailer.send(Letter { subject, ..letter() }).await.unwrap();
    let kept = the_letter(folder.path());
    assert!(!kept.lines().any(|line| line.starts_with("Bcc:")), "{kept}");
    assert!(kept.contains("\r\n\r\nOpen this:"), "{kept}");
}

#[tokio::test]
async fn without_a_mail_server_a_letter_is_kept_for_our_eyes_only() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("mail");
    let mailer = Mailer::new(&Settings::default(), folder.clone()).unwrap();
    mailer.send(letter()).await.unwrap();
    let kept = the_letter(&folder);
    assert!(kept.contains("To: asha@example.in\r\n") && kept.contains("?token=abc\r\n"), "{kept}");
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_letter_is_kept_for_a_week_and_what_is_no_letter_stays() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("mail");
    mail::sweep(&folder).await.unwrap();
    assert!(!folder.exists());
    let half = ".0199a7a4-6b5e-7c3f-8d21-111111111111";
    let send = async || Mailer::new(&Settings::default(), folder.clone()).unwrap().send(letter()).await.unwrap();
    send().await;
    for name in [half, "notes.txt", ".keep"] {
        std::fs::write(folder.join(name), "").unwrap();
    }
    let age = |days: u64| {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        for file in std::fs::read_dir(&folder).unwrap() {
            File::options().write(true).open(file.unwrap().path()).unwrap().set_modified(then).unwrap();
        }
    };
    let count = || std::fs::read_dir(&folder).unwrap().count();
    age(6);
    mail::sweep(&folder).await.unwrap();
    assert_eq!(count(), 4);
    age(8);
    send().await;
    mail::sweep(&folder).await.unwrap();
    assert_eq!(count(), 3, "the new letter, and the two that are none");
    assert!(!folder.join(half).exists());
}

#[tokio::test]
async fn what_is_not_plain_is_encoded() {
    for text in ["नमस्ते\n", "a\rb", "a\0", &"x".repeat(999)] {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::new(&Settings::default(), folder.path().to_owned()).unwrap();
        mailer.send(Letter { text: text.to_owned(), ..letter() }).await.unwrap();
        let kept = the_letter(folder.path());
        assert!(kept.contains("Content-Transfer-Encoding: quoted-printable"), "{kept}");
        assert!(
            kept.is_ascii() && kept.split("\r\n").all(|line| line.len() < 999 && !line.contains(['\r', '\n', '\0']))
        );
    }
}

/// The only letter in `folder`.
fn the_letter(folder: &std::path::Path) -> String {
    let mut kept = std::fs::read_dir(folder).unwrap();
    let letter = kept.next().unwrap().unwrap().path();
    assert!(kept.next().is_none() && letter.extension().is_some_and(|extension| extension == "eml"));
    std::fs::read_to_string(letter).unwrap()
}
