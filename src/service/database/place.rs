//! Where a service keeps its database: in one file, or on a PostgreSQL server.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The parameter of an address that keeps notifications off.
const NO_LISTEN: &str = "listen=off";

/// A file, or a database on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabasePlace {
    /// One SQLite file.
    File(PathBuf),
    /// A PostgreSQL database.
    Server(ServerUrl),
}

/// The address of a PostgreSQL database. It may hold a password, so that it is
/// shown without one.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl(String);

impl DatabasePlace {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }
}

impl ServerUrl {
    /// The whole address.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The address without what is meant for this program.
    pub fn without_our_own(&self) -> String {
        let (place, parameters) = self.parts();
        let kept: Vec<_> = parameters.split('&').filter(|it| *it != NO_LISTEN && !it.is_empty()).collect();
        if kept.is_empty() { place.to_owned() } else { format!("{place}?{}", kept.join("&")) }
    }

    /// Whether the server may be asked to tell what others commit: a pooler of
    /// transactions keeps that away.
    pub fn listens(&self) -> bool {
        !self.parts().1.split('&').any(|it| it == NO_LISTEN)
    }

    fn parts(&self) -> (&str, &str) {
        self.0.split_once('?').unwrap_or((&self.0, ""))
    }
}

impl From<PathBuf> for DatabasePlace {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl FromStr for DatabasePlace {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let server = ["postgres://", "postgresql://"].iter().any(|it| text.starts_with(it));
        Ok(if server { Self::Server(ServerUrl(text.to_owned())) } else { Self::File(PathBuf::from(text)) })
    }
}

impl fmt::Display for DatabasePlace {
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
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let rest = match rest.rsplit_once('@') {
            Some((person, host)) => {
                let user = person.split_once(':').map_or(person, |it| it.0);
                format!("{user}@{host}")
            }
            None => rest.to_owned(),
        };
        write!(f, "{scheme}://{rest}")?;
        let shown: Vec<_> = parameters.split('&').filter(|it| it.starts_with("host=")).collect();
        if shown.is_empty() { Ok(()) } else { write!(f, "?{}", shown.join("&")) }
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
        ];
        for (text, sent, listens) in cases {
            let Ok(DatabasePlace::Server(url)) = text.parse() else { panic!("{text}") };
            assert_eq!((url.without_our_own().as_str(), url.listens()), (sent, listens));
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let cases = [
            ("postgres://ana:s3cret@db.example:5432/desk", "postgres://ana@db.example:5432/desk"),
            ("postgresql:///desk?host=/run/db&password=s3cret", "postgresql:///desk?host=/run/db"),
            ("postgres://ana:s3@cret@[::1]/desk?sslmode=require", "postgres://ana@[::1]/desk"),
        ];
        for (text, shown) in cases {
            let place: DatabasePlace = text.parse().expect("an address");
            assert_eq!((place.to_string().as_str(), place.file()), (shown, None));
            assert!(!format!("{place:?}").contains("cret"), "{place:?}");
        }
        let file: DatabasePlace = "postgres.db".parse().expect("a path");
        assert_eq!(file, PathBuf::from("postgres.db").into());
    }
}
