//! Device names from the `User-Agent` header.

/// Product tokens and names of browsers. The first match counts, because most browsers also send the tokens of others.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
/// Tokens and names of operating systems. The first match counts; Android, for example, also contains `Linux`.
const OPERATING_SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
];

/// Returns a name such as "Chrome on Android", or "Unknown device".
pub(crate) fn device_name(user_agent: &str) -> String {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(token, _)| user_agent.contains(token)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&OPERATING_SYSTEMS)) {
        (Some(browser), Some(system)) => {
            let params = [("browser", browser), ("system", system)];
            let params = params.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
            texts::text("edge", "device.known", &params)
        }
        (_, _) => texts::text("edge", "device.unknown", &texts::Params::new()),
    }
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::device_name;

    #[test]
    fn recognises_browser_and_operating_system() {
        for (user_agent, expected) in [
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile \
                 Safari/537.36",
                "Chrome on Android",
            ),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Windows"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/26.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 CriOS/142.0 Mobile/15E148 Safari/604.1",
                "Chrome on iPhone",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 \
                 Safari/537.36 Edg/142.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/26.0 Safari/605.1.15",
                "Safari on Mac",
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "Chrome on Linux",
            ),
            (
                "Mozilla/5.0 (Linux; Android 16; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) \
                 SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
                "Samsung Internet on Android",
            ),
            ("curl/8.5.0", "Unknown device"),
            ("Firefox/144.0", "Unknown device"),
            ("", "Unknown device"),
        ] {
            assert_eq!(device_name(user_agent), expected, "{user_agent}");
        }
    }
}
