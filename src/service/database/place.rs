//! Location of a service's database: a file, or a PostgreSQL server.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

const NO_LISTEN_PARAMETER: &str = "listen=off";
/// URL parameter that names the trusted certificates; `system` for those of the system.
const TRUST_PARAMETER: &str = "sslrootcert";
const SYSTEM_TRUST: &str = "system";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseLocation {
    File(PathBuf),
    Server(ServerUrl),
}

/// URL of a PostgreSQL database. It may contain a password, which is never displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl(String);

impl DatabaseLocation {
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }
}

impl ServerUrl {
    /// Returns the whole URL, including the password.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the URL for the PostgreSQL client, without this program's own parameters. With TLS,
    /// certificates are always verified.
    pub fn client_url(&self) -> String {
        let (place, parameters) = self.parts();
        let ours = |text: &str| {
            text.is_empty() || text == NO_LISTEN_PARAMETER || text.split('=').next() == Some(TRUST_PARAMETER)
        };
        let kept = parameters.split('&').filter(|part| !ours(part)).map(|part| match part {
            "sslmode=verify-ca" | "sslmode=verify-full" => "sslmode=require",
            part => part,
        });
        let kept: Vec<_> = kept.collect();
        if kept.is_empty() { place.to_owned() } else { format!("{place}?{}", kept.join("&")) }
    }

    /// Returns true if the server may send notifications of commits; a transaction pooler does not
    /// pass them on.
    pub fn uses_notifications(&self) -> bool {
        !self.parts().1.split('&').any(|part| part == NO_LISTEN_PARAMETER)
    }

    /// Returns the file of trusted certificates, `None` for those of the system.
    pub fn trusted_certificates(&self) -> Option<PathBuf> {
        let named =
            url::form_urlencoded::parse(self.parts().1.as_bytes()).find(|(name, _)| name == TRUST_PARAMETER);
        named.filter(|(_, file)| file != SYSTEM_TRUST).map(|(_, file)| PathBuf::from(file.into_owned()))
    }

    fn parts(&self) -> (&str, &str) {
        self.0.split_once('?').unwrap_or((&self.0, ""))
    }
}

impl From<PathBuf> for DatabaseLocation {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl FromStr for DatabaseLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let server = ["postgres://", "postgresql://"].iter().any(|entry| text.starts_with(entry));
        Ok(if server { Self::Server(ServerUrl(text.to_owned())) } else { Self::File(PathBuf::from(text)) })
    }
}

impl fmt::Display for DatabaseLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(url) => url.fmt(f),
        }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("postgres", ""));
        let (user, rest) = split_credentials(rest);
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        write!(f, "{scheme}://{user}{}{rest}", if user.is_empty() { "" } else { "@" })?;
        let shown: Vec<_> = parameters.split('&').filter(|part| part.starts_with("host=")).collect();
        if shown.is_empty() { Ok(()) } else { write!(f, "?{}", shown.join("&")) }
    }
}

/// Splits off the user and returns the text after the password. An unencoded password may contain any
/// character, also those that separate parts of a URL.
fn split_credentials(rest: &str) -> (&str, &str) {
    let marks = [':', '/', '?', '@'];
    let Some((user, behind)) = rest.find(marks).map(|at| rest.split_at(at)) else { return ("", rest) };
    if let Some(rest) = behind.strip_prefix('@') {
        return (user, rest);
    }
    let port = behind[1..].split(marks).next().unwrap_or_default();
    let is_named = behind.split('?').next().is_some_and(|part| part.contains('@'));
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && !is_named;
    match behind.rsplit_once('@').filter(|_| behind.starts_with(':') && !is_port) {
        Some((_, rest)) => (user, rest),
        None => ("", rest),
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_for_this_program_is_kept_from_the_server() {
        let cases = [
            ("postgres:///desk", "postgres:///desk", true),
            ("postgres:///desk?listen=off", "postgres:///desk", false),
            (
                "postgres:///desk?host=/run/db&listen=off&user=ana",
                "postgres:///desk?host=/run/db&user=ana",
                false,
            ),
            (
                "postgres://db/desk?sslmode=verify-full&sslrootcert=/etc/ca.pem&user=ana",
                "postgres://db/desk?sslmode=require&user=ana",
                true,
            ),
        ];
        for (text, sent, listens) in cases {
            let Ok(DatabaseLocation::Server(url)) = text.parse() else { panic!("{text}") };
            assert_eq!((url.client_url().as_str(), url.uses_notifications()), (sent, listens));
        }
    }

    #[test]
    fn certificates_are_trusted_by_a_file_or_by_the_system() {
        let cases = [
            ("postgres://db/desk", None),
            ("postgres://db/desk?sslrootcert=system", None),
            ("postgres://db/desk?sslmode=verify-ca&sslrootcert=/etc/our%20own.pem", Some("/etc/our own.pem")),
        ];
        for (text, file) in cases {
            let Ok(DatabaseLocation::Server(url)) = text.parse() else { panic!("{text}") };
            assert_eq!(url.trusted_certificates(), file.map(PathBuf::from), "{text}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let cases = [
            ("postgres://ana:s3cret@db.example:5432/desk", "postgres://ana@db.example:5432/desk"),
            ("postgresql:///desk?host=/run/db&password=s3cret", "postgresql:///desk?host=/run/db"),
            ("postgres://ana:s3@cret@[::1]/desk?sslmode=require", "postgres://ana@[::1]/desk"),
            ("postgres://ana:s3?cret@db/desk", "postgres://ana@db/desk"),
            ("postgres://ana:s3/cret@db:5432/desk?listen=off", "postgres://ana@db:5432/desk"),
            ("postgres://ana:12@s3?cret@db/desk?host=/run/db", "postgres://ana@db/desk?host=/run/db"),
            ("postgres://ana:12/34cret@db/desk", "postgres://ana@db/desk"),
            ("postgres://ana@db/desk", "postgres://ana@db/desk"),
            ("postgres://db:5432/desk?user=ana@shop", "postgres://db:5432/desk"),
            ("postgres://db", "postgres://db"),
        ];
        for (text, shown) in cases {
            let place: DatabaseLocation = text.parse().expect("an address");
            assert_eq!((place.to_string().as_str(), place.file()), (shown, None));
            assert!(!format!("{place:?}").contains("cret"), "{place:?}");
        }
        let file: DatabaseLocation = "postgres.db".parse().expect("a path");
        assert_eq!(file, PathBuf::from("postgres.db").into());
    }
}
