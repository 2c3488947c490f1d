//! Reads the cause of a failed connection from the chain of errors below a request.

use std::error::Error;
use std::io;

use rustls::{CertificateError, InvalidMessage};
use url::Url;

/// Variables that set a proxy for `https://`, in the order in which they count.
const PROXY_VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
/// Variable that names the file of trusted authorities.
const CERTIFICATES_VARIABLE: &str = "SSL_CERT_FILE";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionCause {
    Proxy(ProxyCause),
    Certificate(CertificateCause),
    /// No certificates of authorities could be loaded.
    NoAuthorities,
    /// The URL begins with `https://`, but the port does not speak TLS.
    NoTls,
    /// The URL begins with `http://`, but the port does not speak plain HTTP.
    NoHttp,
    UnknownName,
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyCause {
    Refused,
    UnknownName,
    /// Any other failure before the proxy answered.
    Unreachable,
    /// The proxy asks for a user name and password (407).
    PasswordWanted,
    /// The proxy answered that it does not connect.
    Denied,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateCause {
    Expired,
    NotYetValid,
    /// Names in the certificate, where they are known.
    OtherName(Vec<String>),
    UnknownAuthority,
    Revoked,
    Other(String),
}

impl ConnectionCause {
    /// Returns the cause, `None` if the chain names none that is known.
    pub fn of(error: &reqwest::Error) -> Option<Self> {
        Self::in_chain(&chain(error))
    }

    fn in_chain(chain: &[&(dyn Error + 'static)]) -> Option<Self> {
        let text = chain.iter().map(ToString::to_string).collect::<Vec<_>>().join(": ").to_ascii_lowercase();
        let has = |words: &str| text.contains(words);
        if has("no ca certificates were loaded") {
            return Some(Self::NoAuthorities);
        }
        if has("tunnel error") {
            return Some(Self::Proxy(if has("authorization required") {
                ProxyCause::PasswordWanted
            } else if has("unsuccessful") {
                ProxyCause::Denied
            } else if has("dns error") || has("failed to lookup") {
                ProxyCause::UnknownName
            } else if has("connection refused") {
                ProxyCause::Refused
            } else {
                ProxyCause::Unreachable
            }));
        }
        match chain.iter().find_map(|error| tls_error(*error)) {
            Some(rustls::Error::InvalidCertificate(cause)) => {
                return Some(Self::Certificate(CertificateCause::of(cause)));
            }
            Some(rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType)) => {
                return Some(Self::NoTls);
            }
            _ => {}
        }
        if has("certificate") {
            return Some(Self::Certificate(CertificateCause::Other(String::new())));
        }
        if has("invalid http version") {
            return Some(Self::NoHttp);
        }
        if has("dns error") || has("failed to lookup") {
            return Some(Self::UnknownName);
        }
        has("connection refused").then_some(Self::Refused)
    }

    /// Describes the cause; `variable` reads the environment.
    pub fn describe(&self, variable: impl Fn(&str) -> Option<String>) -> String {
        match self {
            Self::Proxy(cause) => cause.describe(variable),
            Self::Certificate(cause) => cause.describe(variable),
            Self::NoAuthorities => describe_no_authorities(&variable),
            Self::NoTls => "the port answers without TLS; write http:// (only on this machine)".to_owned(),
            Self::NoHttp => {
                "the port does not answer with HTTP; if it answers with TLS, write https://".to_owned()
            }
            Self::UnknownName => "the server's name was not found".to_owned(),
            Self::Refused => "the server refused the connection".to_owned(),
        }
    }
}

impl ProxyCause {
    fn describe(self, variable: impl Fn(&str) -> Option<String>) -> String {
        let set = PROXY_VARIABLES.iter().find_map(|name| {
            let value = variable(name).filter(|value| !value.trim().is_empty())?;
            Some((*name, format!("the proxy {} ({name})", proxy_address(&value))))
        });
        let (name, proxy) = set.unwrap_or(("the proxy", "the system's proxy".to_owned()));
        match self {
            Self::Refused => format!("{proxy} refused the connection; start it, or unset {name}"),
            Self::UnknownName => format!("the name of {proxy} was not found; correct or unset {name}"),
            Self::Unreachable => format!("{proxy} could not be reached; start it, or unset {name}"),
            Self::PasswordWanted => format!(
                "{proxy} asks for a user name and password (407); set {name} to http://USER:PASSWORD@HOST:PORT"
            ),
            Self::Denied => {
                format!("{proxy} did not connect to the server; look at the proxy's log, or unset {name}")
            }
        }
    }
}

impl CertificateCause {
    fn of(cause: &CertificateError) -> Self {
        match cause {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotYetValid,
            CertificateError::NotValidForName => Self::OtherName(Vec::new()),
            CertificateError::NotValidForNameContext { presented, .. } => Self::OtherName(presented.clone()),
            // A bad signature: an authority of this name is known, but not this one.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownAuthority,
            CertificateError::Revoked => Self::Revoked,
            other => Self::Other(other.to_string()),
        }
    }

    fn describe(&self, variable: impl Fn(&str) -> Option<String>) -> String {
        match self {
            Self::Expired => {
                "the server's certificate has expired; its operator must renew it (or this machine's clock is \
                 wrong)"
                    .to_owned()
            }
            Self::NotYetValid => {
                "the server's certificate is not valid yet; check the clock of this machine".to_owned()
            }
            Self::OtherName(names) => {
                let names: Vec<&str> = names.iter().map(|name| presented_name(name)).take(3).collect();
                let whose =
                    if names.is_empty() { "another name".to_owned() } else { names.join(", ") };
                format!("the server's certificate is for {whose}; correct base_url")
            }
            Self::UnknownAuthority => unreadable_authorities(&variable).unwrap_or_else(|| format!(
                "the server's certificate comes from an authority that this machine does not trust; set \
                 {CERTIFICATES_VARIABLE} to the file with the authority's certificate"
            )),
            Self::Revoked => "the server's certificate was revoked; its operator must replace it".to_owned(),
            Self::Other(why) if why.is_empty() => "the server's certificate is not trusted".to_owned(),
            Self::Other(why) => format!("the server's certificate is not trusted ({why}); its operator must replace it"),
        }
    }
}

/// Name without the debug form that the TLS library gives it, such as `DnsName("a.example")`.
fn presented_name(name: &str) -> &str {
    let quoted = name.split_once('"').and_then(|(_, rest)| rest.split_once('"'));
    quoted.map_or(name, |(name, _)| name)
}

/// Host and port of a proxy, without its user name and password.
fn proxy_address(value: &str) -> String {
    let text = value.trim();
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let Ok(url) = Url::parse(&with_scheme) else { return "in the environment".to_owned() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Fault of the file that `SSL_CERT_FILE` names, if it cannot be read.
fn unreadable_authorities(variable: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let file = variable(CERTIFICATES_VARIABLE).filter(|file| !file.is_empty())?;
    let error = std::fs::File::open(&file).err()?;
    Some(format!("{CERTIFICATES_VARIABLE} {file} cannot be read ({error}); correct or unset it"))
}

fn describe_no_authorities(variable: &impl Fn(&str) -> Option<String>) -> String {
    if let Some(fault) = unreadable_authorities(variable) {
        return fault;
    }
    match variable(CERTIFICATES_VARIABLE).filter(|file| !file.is_empty()) {
        Some(file) => format!("{CERTIFICATES_VARIABLE} {file} holds no certificate; correct or unset it"),
        None => format!(
            "this machine trusts no certificate authority; install ca-certificates, or set \
             {CERTIFICATES_VARIABLE} to a file of certificates"
        ),
    }
}

/// An error and its causes, outermost first.
fn chain(error: &reqwest::Error) -> Vec<&(dyn Error + 'static)> {
    let mut all: Vec<&(dyn Error + 'static)> = vec![error];
    let mut cause = error.source();
    while let Some(error) = cause {
        all.push(error);
        cause = error.source();
    }
    all
}

/// Returns the TLS error that is this error, or is inside IO errors, whose chain hides it.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut error = error;
    while let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        error = inner;
    }
    error.downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_is_named_with_its_variable_and_without_its_password() {
        let address = "http://ann:s3cret@127.0.0.1:18990";
        let cases = [
            (
                ProxyCause::Refused,
                [("HTTPS_PROXY", address)],
                "the proxy 127.0.0.1:18990 (HTTPS_PROXY) refused the connection; start it, or unset HTTPS_PROXY",
            ),
            (
                ProxyCause::UnknownName,
                [("ALL_PROXY", "proxy.invalid:3128")],
                "the name of the proxy proxy.invalid:3128 (ALL_PROXY) was not found; correct or unset ALL_PROXY",
            ),
            (
                ProxyCause::PasswordWanted,
                [("https_proxy", address)],
                "the proxy 127.0.0.1:18990 (https_proxy) asks for a user name and password (407); set \
                 https_proxy to http://USER:PASSWORD@HOST:PORT",
            ),
            (
                ProxyCause::Denied,
                [("HTTPS_PROXY", address)],
                "the proxy 127.0.0.1:18990 (HTTPS_PROXY) did not connect to the server; look at the proxy's \
                 log, or unset HTTPS_PROXY",
            ),
        ];
        for (cause, set, words) in cases {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(ConnectionCause::Proxy(cause).describe(variable), words);
        }
    }

    #[test]
    fn fault_of_a_certificate_is_named_inside_an_io_error() {
        let cases = [
            (CertificateError::Expired, "has expired"),
            (CertificateError::NotValidYet, "not valid yet"),
            (CertificateError::NotValidForName, "for another name; correct base_url"),
            (CertificateError::UnknownIssuer, "set SSL_CERT_FILE to the file"),
            (CertificateError::BadSignature, "set SSL_CERT_FILE to the file"),
            (CertificateError::Revoked, "revoked"),
            (CertificateError::BadEncoding, "not trusted"),
        ];
        for (cause, words) in cases {
            let error = io::Error::other(io::Error::other(rustls::Error::InvalidCertificate(cause)));
            let found = ConnectionCause::in_chain(&[&error]).expect("a cause");
            let said = found.describe(|_| None);
            assert!(said.contains(words), "{said}");
        }
        let plain = io::Error::other(rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType));
        assert_eq!(ConnectionCause::in_chain(&[&plain]), Some(ConnectionCause::NoTls));
        assert_eq!(presented_name("DnsName(\"a.example\")"), "a.example");
    }
}
