//! Which of the encodings that we have a client wants.

/// How a file travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Brotli,
    Gzip,
    Plain,
}

/// The client's favourite of what there is; the smallest where it likes several as much.
pub(crate) fn best(accepted: &[&str], brotli: bool, gzip: bool) -> Encoding {
    let weight = |name: &str| weight(accepted, name);
    let brotli = if brotli { weight("br") } else { 0 };
    let gzip = if gzip { weight("gzip").max(weight("x-gzip")) } else { 0 };
    if brotli > 0 && brotli >= gzip {
        Encoding::Brotli
    } else if gzip > 0 {
        Encoding::Gzip
    } else {
        Encoding::Plain
    }
}

/// How much the client likes `name`, in thousandths.
fn weight(accepted: &[&str], name: &str) -> u16 {
    let mut any = 0;
    for entry in accepted.iter().flat_map(|line| line.split(',')) {
        let mut parts = entry.split(';').map(str::trim);
        let coding = parts.next().unwrap_or_default();
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.map_or(1000, thousandths);
        if coding.eq_ignore_ascii_case(name) {
            return quality;
        }
        if coding == "*" {
            any = quality;
        }
    }
    any
}

/// `0`, `1`, or a fraction of at most three digits. Anything else is no wish.
fn thousandths(text: &str) -> u16 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    match whole {
        "1" => 1000,
        "0" => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_chooses() {
        let check = |line: &str, expected| assert_eq!(best(&[line], true, true), expected, "{line}");
        check("gzip, deflate, br, zstd", Encoding::Brotli);
        check("gzip", Encoding::Gzip);
        check("br;q=0.5, gzip;q=0.8", Encoding::Gzip);
        check("br;q=0.8, gzip;q=0.75", Encoding::Brotli);
        check("br;q=0, gzip;q=0", Encoding::Plain);
        check("*", Encoding::Brotli);
        check("*;q=0.1, br;q=0", Encoding::Gzip);
        check("identity", Encoding::Plain);
        check("", Encoding::Plain);
        check("br;q=2, gzip;q=0.12345", Encoding::Plain);
        assert_eq!(best(&["br"], false, true), Encoding::Plain);
    }
}
