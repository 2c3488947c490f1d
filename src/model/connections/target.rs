//! Builds a URL from base URL, path and values. A value cannot leave its path segment.

use std::fmt::Write;

use crate::connections::parameters::{FilledParameter, ParameterPlace};

/// Reason why a URL is invalid; the messages may be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A value that makes a path segment empty, `.` or `..`.
    #[error("{0} would make a path segment of only dots, which is refused")]
    Dots(String),
    /// A placeholder without a value.
    #[error("the path has {{{0}}}, but no path parameter has this name")]
    Unknown(String),
    /// Unbalanced braces.
    #[error("the path has a brace that is not closed")]
    Brace,
    /// Characters or segments that are not allowed in a path.
    #[error("the path must begin with / and must not contain ?, #, \\ or spaces, or . or .. as a segment")]
    Path,
}

/// Returns scheme and host as written.
pub fn origin(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().filter(|part| !part.is_empty())?;
    Some(&url[..scheme.len() + 3 + host.len()])
}

/// Returns the names of the placeholders in order.
pub fn placeholder_names(path: &str) -> Result<Vec<&str>, TargetError> {
    let mut found = Vec::new();
    let mut rest = path;
    while let Some((before, inner)) = rest.split_once('{') {
        let (name, after) = inner.split_once('}').ok_or(TargetError::Brace)?;
        if before.contains('}') || name.contains(['{', '/']) {
            return Err(TargetError::Brace);
        }
        found.push(name);
        rest = after;
    }
    if rest.contains('}') { Err(TargetError::Brace) } else { Ok(found) }
}

pub fn check_path(path: &str) -> Result<(), TargetError> {
    placeholder_names(path)?;
    let odd = |character: char| {
        character.is_control() || character.is_whitespace() || matches!(character, '?' | '#' | '\\')
    };
    let rest = path.strip_prefix('/').ok_or(TargetError::Path)?;
    if path.contains(odd) || rest.split('/').any(is_dot_segment) || path.contains("//") {
        return Err(TargetError::Path);
    }
    Ok(())
}

pub fn build_url(base_url: &str, path: &str, values: &[FilledParameter]) -> Result<String, TargetError> {
    check_path(path)?;
    let mut url = base_url.trim_end_matches('/').to_owned();
    for segment in path.split('/').skip(1) {
        url.push('/');
        let start = url.len();
        let mut rest = segment;
        let mut last = "";
        while let Some((before, inner)) = rest.split_once('{') {
            let (name, after) = inner.split_once('}').ok_or(TargetError::Brace)?;
            let value = values.iter().find(|value| value.place == ParameterPlace::Path && value.name == name);
            let value = value.ok_or_else(|| TargetError::Unknown(name.to_owned()))?;
            url.push_str(before);
            percent_encode(&value.value, &mut url);
            last = name;
            rest = after;
        }
        url.push_str(rest);
        if !last.is_empty() && (is_dot_segment(&url[start..]) || url.len() == start) {
            return Err(TargetError::Dots(last.to_owned()));
        }
    }
    let mut sign = '?';
    for value in values.iter().filter(|value| value.place == ParameterPlace::Query) {
        url.push(sign);
        percent_encode(&value.name, &mut url);
        url.push('=');
        percent_encode(&value.value, &mut url);
        sign = '&';
    }
    Ok(url)
}

/// True for `.` and `..`, also percent-encoded.
fn is_dot_segment(segment: &str) -> bool {
    let plain = segment.to_ascii_lowercase().replace("%2e", ".");
    plain == "." || plain == ".."
}

/// Encodes all bytes except letters, digits and `-._~`.
pub fn percent_encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing into a `String` does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::parameters::ValueKind;

    fn filled(place: ParameterPlace, name: &str, value: &str) -> FilledParameter {
        FilledParameter { name: name.to_owned(), place, kind: ValueKind::Text, value: value.to_owned() }
    }

    #[test]
    fn a_value_stays_in_its_segment() {
        for (value, url) in [
            ("1041", "https://a.example/v1/orders/1041"),
            ("../../admin", "https://a.example/v1/orders/..%2F..%2Fadmin"),
            ("a b/c?d#e", "https://a.example/v1/orders/a%20b%2Fc%3Fd%23e"),
            ("%2e%2e", "https://a.example/v1/orders/%252e%252e"),
            ("..\\", "https://a.example/v1/orders/..%5C"),
            ("{other}", "https://a.example/v1/orders/%7Bother%7D"),
            ("é", "https://a.example/v1/orders/%C3%A9"),
            ("a\r\nX: y", "https://a.example/v1/orders/a%0D%0AX%3A%20y"),
            ("...", "https://a.example/v1/orders/..."),
        ] {
            let values = [filled(ParameterPlace::Path, "id", value)];
            assert_eq!(
                build_url("https://a.example/v1/", "/orders/{id}", &values).as_deref(),
                Ok(url),
                "{value}"
            );
        }
        for value in [".", "..", ""] {
            let values = [filled(ParameterPlace::Path, "id", value)];
            let refused = build_url("https://a.example", "/orders/{id}/x", &values);
            assert_eq!(refused, Err(TargetError::Dots("id".to_owned())), "{value:?}");
        }
        let two = [filled(ParameterPlace::Path, "a", "."), filled(ParameterPlace::Path, "b", ".")];
        assert!(build_url("https://a.example", "/{a}{b}", &two).is_err(), "two dots of two values");
        let half = [filled(ParameterPlace::Path, "a", ".")];
        assert!(build_url("https://a.example", "/.{a}", &half).is_err());
        assert!(build_url("https://a.example", "/%2E{a}", &half).is_err());
    }

    #[test]
    fn a_query_is_encoded() {
        let values =
            [filled(ParameterPlace::Query, "q", "a&admin=1#"), filled(ParameterPlace::Query, "b c", "+ é")];
        assert_eq!(
            build_url("https://a.example/v1", "/find", &values).as_deref(),
            Ok("https://a.example/v1/find?q=a%26admin%3D1%23&b%20c=%2B%20%C3%A9")
        );
    }

    #[test]
    fn paths_are_checked() {
        for good in ["/", "/orders", "/orders/{id}.json", "/a/{b}-{c}", "/..."] {
            assert_eq!(check_path(good), Ok(()), "{good}");
        }
        for bad in
            ["", "orders", "/a?b", "/a#b", "/a b", "/a\\b", "/../x", "/a/.", "/%2e%2E/x", "//x", "/a\n"]
        {
            assert_eq!(check_path(bad), Err(TargetError::Path), "{bad:?}");
        }
        for bad in ["/{a", "/a}", "/{a{b}}", "/{a/b}"] {
            assert_eq!(check_path(bad), Err(TargetError::Brace), "{bad:?}");
        }
        assert_eq!(build_url("https://a.example", "/{x}", &[]), Err(TargetError::Unknown("x".to_owned())));
        assert_eq!(origin("https://a.example:8443/v1?x"), Some("https://a.example:8443"));
        assert_eq!(origin("a.example"), None);
    }
}
