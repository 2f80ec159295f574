//! Password of encrypted documents, which is usually the PAN. Never an argument, which other users of the machine see.

use std::fs::File;
use std::io::{IsTerminal as _, Read as _, Write as _};

use anyhow::{Context as _, ensure};
use rustix::termios::{self, LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use zeroize::Zeroizing;

/// Environment variable with the password.
const VARIABLE: &str = "TRADEBAHI_PAN";

/// Returns the password from the environment, or asks for it in a terminal; empty if there is none.
pub(super) fn read_password() -> anyhow::Result<Zeroizing<String>> {
    let text = match std::env::var(VARIABLE) {
        Ok(text) => Zeroizing::new(text),
        Err(_) if std::io::stdin().is_terminal() => ask().context("cannot ask for the PAN; set TRADEBAHI_PAN")?,
        Err(_) => Zeroizing::default(),
    };
    Ok(normalize(&text))
}

/// Returns a PAN in capitals, because brokers use it so; another password unchanged.
fn normalize(text: &str) -> Zeroizing<String> {
    let text = text.trim();
    let is_pan = text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            5..=8 => byte.is_ascii_digit(),
            _ => byte.is_ascii_alphabetic(),
        });
    Zeroizing::new(if is_pan { text.to_ascii_uppercase() } else { text.to_owned() })
}

/// Asks for the password in the terminal, without showing it.
fn ask() -> anyhow::Result<Zeroizing<String>> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let _hidden = HiddenInput::start(terminal.try_clone()?)?;
    write!(terminal, "PAN, the password of the contract notes (Enter if they have none): ")?;
    // A read returns one line; a terminal accepts at most 4,096 bytes.
    let mut buffer = Zeroizing::new([0; 4096]);
    let length = terminal.read(&mut *buffer)?;
    writeln!(terminal)?;
    let line = buffer.get(..length).unwrap_or_default();
    let line = str::from_utf8(line).context("the password is not UTF-8")?.trim_end_matches(['\r', '\n']);
    ensure!(!line.contains(char::is_control), "cancelled");
    Ok(Zeroizing::new(line.to_owned()))
}

/// Terminal that does not show what is typed, until it is dropped. Ctrl-C and Ctrl-\ end the line and are part of it:
/// as signals, they would end the process and leave the terminal without echo.
struct HiddenInput {
    terminal: File,
    before: Termios,
}

impl HiddenInput {
    fn start(terminal: File) -> anyhow::Result<Self> {
        let before = termios::tcgetattr(&terminal)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        let codes = &mut hidden.special_codes;
        codes[SpecialCodeIndex::VEOL] = codes[SpecialCodeIndex::VINTR];
        codes[SpecialCodeIndex::VEOL2] = codes[SpecialCodeIndex::VQUIT];
        termios::tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        let _ = termios::tcsetattr(&self.terminal, OptionalActions::Flush, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pan_is_written_in_capitals() {
        for (typed, password) in
            [(" abcde1234f\n", "ABCDE1234F"), ("ABCDE1234F", "ABCDE1234F"), ("secret12ab", "secret12ab"), ("", "")]
        {
            assert_eq!(&*normalize(typed), password);
        }
    }
}
