//! Tokens of PDF objects (ISO 32000-2, 7.2 and 7.3).

/// Token of an object.
pub(super) enum Token<'a> {
    /// Name without its slash, with `#xx` decoded.
    Name(Vec<u8>),
    /// Whole number without a sign.
    Number(u64),
    /// Start of a dictionary or an array.
    Open { is_array: bool },
    /// End of a dictionary or an array.
    Close,
    /// Keyword, or any other number.
    Word(&'a [u8]),
    /// Text in parentheses or hexadecimal digits.
    Text,
}

/// Reader of tokens.
pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position }
    }

    /// Returns the position behind the last token.
    pub(super) const fn position(&self) -> usize {
        self.position
    }

    /// Returns the position of the data if the next token is `stream`.
    pub(super) fn stream_position(&self) -> Option<usize> {
        let mut next = Self { ..*self };
        matches!(next.next(), Some(Token::Word(b"stream"))).then(|| next.data_position())
    }

    /// Returns the last token, a number, unless it begins a reference such as `12 0 R`.
    pub(super) fn unless_reference(&self, number: u64) -> Option<u64> {
        let mut next = Self { ..*self };
        let is_reference = matches!((next.next(), next.next()), (Some(Token::Number(_)), Some(Token::Word(b"R"))));
        (!is_reference).then_some(number)
    }

    /// Returns the position of a stream's data, behind the end of the line.
    pub(super) fn data_position(&self) -> usize {
        match self.rest() {
            [b'\r', b'\n', ..] => self.position + 2,
            [b'\r' | b'\n', ..] => self.position + 1,
            _ => self.position,
        }
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        let first = *self.rest().first()?;
        Some(match first {
            b'/' => {
                self.position += 1;
                Token::Name(decode_name(self.take_regular()))
            }
            b'(' => self.skip_text(),
            b'<' if self.rest().get(1) != Some(&b'<') => {
                let length = self.rest().iter().position(|byte| *byte == b'>');
                self.position += length.map_or(self.rest().len(), |length| length + 1);
                Token::Text
            }
            b'<' | b'[' => {
                self.position += if first == b'<' { 2 } else { 1 };
                Token::Open { is_array: first == b'[' }
            }
            b'>' | b']' => {
                self.position += if self.rest().starts_with(b">>") { 2 } else { 1 };
                Token::Close
            }
            b')' | b'{' | b'}' => {
                self.position += 1;
                Token::Text
            }
            _ => {
                let word = self.take_regular();
                let number = word.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(word).ok()?.parse().ok());
                number.flatten().map_or(Token::Word(word), Token::Number)
            }
        })
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = rest.iter().take_while(|byte| is_space(**byte)).count();
            self.position += spaces;
            if rest.get(spaces) != Some(&b'%') {
                return;
            }
            self.position += self.rest().iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')).count();
        }
    }

    fn take_regular(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| !is_space(**byte) && !is_delimiter(**byte)).count();
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Skips a text in parentheses, which may contain balanced or escaped ones.
    fn skip_text(&mut self) -> Token<'a> {
        let mut depth = 0_usize;
        let mut is_escaped = false;
        for (index, byte) in self.rest().iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'(' => depth += 1,
                b')' if depth == 1 => {
                    self.position += index + 1;
                    return Token::Text;
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.position = self.bytes.len();
        Token::Text
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Decodes `#xx` in a name.
fn decode_name(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [first, tail @ ..] = rest {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let escaped = match tail {
            [high, low, behind @ ..] if *first == b'#' => digit(high).zip(digit(low)).zip(Some(behind)),
            _ => None,
        };
        let (byte, behind) = escaped.map_or((*first, tail), |((high, low), behind)| (high * 16 + low, behind));
        decoded.push(byte);
        rest = behind;
    }
    decoded
}
