//! Sends emails to an SMTP server on a socket and to files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use mail::{Email, Error, Mailer, Settings};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

fn email() -> Email {
    Email {
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

/// Serves one client as an SMTP server that answers `DATA` with `data_reply`. Returns every line received.
async fn serve_client(stream: TcpStream, data_reply: &str) -> Vec<String> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut received, mut in_message) = (Vec::new(), false);
    write.write_all(b"220 mail.example\r\n").await.unwrap();
    while let Some(line) = lines.next_line().await.unwrap() {
        let reply = match line.split(' ').next().unwrap() {
            "." if in_message => {
                in_message = false;
                "250 queued"
            }
            _ if in_message => "",
            "DATA" => {
                in_message = data_reply.starts_with('3');
                data_reply
            }
            "QUIT" => "221 bye",
            _ => "250 OK",
        };
        received.push(line);
        if !reply.is_empty() {
            write.write_all(format!("{reply}\r\n").as_bytes()).await.unwrap();
        }
    }
    received
}

/// Serves one client after another, each with the next of `data_replies`.
fn serve(listener: TcpListener, data_replies: &'static [&str]) -> JoinHandle<Vec<Vec<String>>> {
    tokio::spawn(async move {
        let mut conversations = Vec::new();
        for data_reply in data_replies {
            conversations.push(serve_client(listener.accept().await.unwrap().0, data_reply).await);
        }
        conversations
    })
}

#[tokio::test]
async fn sends_an_email_to_the_smtp_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    let server = serve(listener, &["354 go on"]);
    mailer.send(email()).await.unwrap();
    let received = server.await.unwrap().remove(0);
    assert_eq!(received[0], "EHLO tradebahi.example");
    assert!(received[1].starts_with("MAIL FROM:<no-reply@tradebahi.example>"), "{}", received[1]);
    assert_eq!(received[2..4], ["RCPT TO:<asha@example.in>", "DATA"]);
    for line in [
        "From: TradeBahi <no-reply@tradebahi.example>",
        "To: asha@example.in",
        "Subject: =?utf-8?b?4KSo4KSu4KS44KWN4KSk4KWH?= Asha",
        "Auto-Submitted: auto-generated",
        "https://tradebahi.example/a-long-link-that-is-not-broken-into-lines-of-76?token=abc",
        // A single dot would end the message, so it is doubled (RFC 5321, section 4.5.2).
        "..",
        "That is all.",
    ] {
        assert!(received.iter().any(|received| received == line), "{line} in {received:#?}");
    }
}

#[tokio::test]
async fn an_email_can_be_sent_again_after_a_temporary_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    let server = serve(listener, &["451 later, asha@example.in", "354 go on"]);
    let refused = mailer.send(email()).await.unwrap_err();
    assert!(matches!(&refused, Error::Send(smtp) if smtp.is_transient()), "{refused:?}");
    assert_eq!(refused.to_string(), "the mail server answered 451");
    mailer.send(email()).await.unwrap();
    assert_eq!(server.await.unwrap().len(), 2);
}

#[tokio::test]
async fn an_unreachable_smtp_server_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    drop(listener);
    assert!(matches!(mailer.send(email()).await, Err(Error::Send(_))));
}

#[tokio::test(start_paused = true)]
async fn sending_times_out_if_the_smtp_server_does_not_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailer = mailer(&listener);
    let (sent, _silent) = tokio::join!(mailer.send(email()), listener.accept());
    assert!(sent.is_err());
}

#[tokio::test]
async fn addresses_and_subjects_cannot_inject_headers() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::new(&Settings::default(), folder.path().to_owned()).unwrap();
    for to in ["asha@example.in\r\nBcc: eve@example.in", "asha@example.in, eve@example.in", "a@b\n.in", ""] {
        let refused = mailer.send(Email { to: to.to_owned(), ..email() }).await;
        assert!(matches!(refused, Err(Error::Address(_))), "{to:?}");
    }
    let subject = "Hello\r\nBcc: eve@example.in\r\n\r\nAn injected text".to_owned();
    mailer.send(Email { subject, ..email() }).await.unwrap();
    let written = read_only_email(folder.path());
    assert!(!written.lines().any(|line| line.starts_with("Bcc:")), "{written}");
    assert!(written.contains("\r\n\r\nOpen this:"), "{written}");
}

#[tokio::test]
async fn without_an_smtp_server_emails_are_written_to_a_private_folder() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("mail");
    let mailer = Mailer::new(&Settings::default(), folder.clone()).unwrap();
    mailer.send(email()).await.unwrap();
    let written = read_only_email(&folder);
    assert!(written.contains("To: asha@example.in\r\n") && written.contains("?token=abc\r\n"), "{written}");
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn deletes_email_files_after_a_week_and_keeps_other_files() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("mail");
    mail::delete_expired_files(&folder).await.unwrap();
    assert!(!folder.exists());
    let partial = ".0199a7a4-6b5e-7c3f-8d21-111111111111";
    let send = async || Mailer::new(&Settings::default(), folder.clone()).unwrap().send(email()).await.unwrap();
    send().await;
    for name in [partial, "notes.txt", ".keep"] {
        std::fs::write(folder.join(name), "").unwrap();
    }
    let set_age = |days: u64| {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        for file in std::fs::read_dir(&folder).unwrap() {
            File::options().write(true).open(file.unwrap().path()).unwrap().set_modified(then).unwrap();
        }
    };
    let count = || std::fs::read_dir(&folder).unwrap().count();
    set_age(6);
    mail::delete_expired_files(&folder).await.unwrap();
    assert_eq!(count(), 4);
    set_age(8);
    send().await;
    mail::delete_expired_files(&folder).await.unwrap();
    assert_eq!(count(), 3, "the new email and the two other files");
    assert!(!folder.join(partial).exists());
}

#[tokio::test]
async fn encodes_text_that_is_not_plain_ascii() {
    for text in ["नमस्ते\n", "a\rb", "a\0", &"x".repeat(999)] {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::new(&Settings::default(), folder.path().to_owned()).unwrap();
        mailer.send(Email { text: text.to_owned(), ..email() }).await.unwrap();
        let written = read_only_email(folder.path());
        assert!(written.contains("Content-Transfer-Encoding: quoted-printable"), "{written}");
        assert!(
            written.is_ascii()
                && written.split("\r\n").all(|line| line.len() < 999 && !line.contains(['\r', '\n', '\0']))
        );
    }
}

/// Reads the only email in `folder`.
fn read_only_email(folder: &std::path::Path) -> String {
    let mut files = std::fs::read_dir(folder).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none() && file.extension().is_some_and(|extension| extension == "eml"));
    std::fs::read_to_string(file).unwrap()
}
