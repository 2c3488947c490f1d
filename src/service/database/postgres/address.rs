//! Address of a PostgreSQL server, with TLS and password.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use rustls::CertificateError;
use tokio::sync::mpsc;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{CancelToken, Client, Config, NoTls};

use crate::database::DatabaseError;
use crate::database::place::ServerUrl;
use crate::database::postgres::link::{describe_causes, drive};
use crate::database::postgres::password;
use crate::database::postgres::tls::ServerTls;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the causes of a failed connection, and the remedy where one is known.
fn describe_refusal(cause: &tokio_postgres::Error, config: &Config) -> String {
    use CertificateError::{BadSignature, UnknownIssuer};
    let why = describe_causes(cause);
    let remedy = match (tls_error(cause), cause.code()) {
        // A bad signature: an authority of this name is known, but not this one.
        (Some(rustls::Error::InvalidCertificate(UnknownIssuer | BadSignature)), _) => {
            "; name the file of its authority with sslrootcert= in the address"
        }
        (_, Some(code)) if *code == SqlState::INVALID_PASSWORD => {
            "; correct the password in PGPASSWORD, in ~/.pgpass or in the address"
        }
        // The library has no type for this error.
        (_, None) if config.get_password().is_none() && why.ends_with("password missing") => {
            "; set PGPASSWORD, or write the password into ~/.pgpass"
        }
        _ => "",
    };
    format!("{why}{remedy}")
}

/// Returns the TLS error inside the error of a connection.
fn tls_error(cause: &tokio_postgres::Error) -> Option<&rustls::Error> {
    let source = std::error::Error::source(cause)?.downcast_ref::<io::Error>()?;
    source.get_ref()?.downcast_ref()
}

#[derive(Clone)]
pub struct ServerAddress {
    config: Config,
    /// `None` for a server on this machine.
    tls: Option<ServerTls>,
}

impl ServerAddress {
    /// Parses a URL. A server on another machine is only used over TLS.
    pub fn parse(url: &ServerUrl) -> Result<Self, DatabaseError> {
        let mut config: Config =
            url.client_url().parse().map_err(|cause| DatabaseError::Unreachable(describe_causes(&cause)))?;
        let asked = config.get_ssl_mode() == SslMode::Require;
        let mode = if asked || !config.get_hosts().iter().all(is_local) {
            SslMode::Require
        } else {
            SslMode::Disable
        };
        config.ssl_mode(mode);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("frontdesk");
        }
        if config.get_password().is_none()
            && let Some(found) = password::find_password(&config)
        {
            config.password(found);
        }
        let tls =
            (mode == SslMode::Require).then(|| ServerTls::trusting(url.trusted_certificates().as_deref()));
        Ok(Self { config, tls: tls.transpose().map_err(DatabaseError::Unreachable)? })
    }

    /// Connects; the runtime drives the connection. `heard` receives a message for each
    /// notification.
    pub async fn connect(&self, heard: Option<mpsc::Sender<()>>) -> Result<Client, DatabaseError> {
        let failed = |cause: tokio_postgres::Error| match is_transient(&cause) {
            true => DatabaseError::Absent(describe_causes(&cause)),
            false => DatabaseError::Unreachable(describe_refusal(&cause, &self.config)),
        };
        let Some(tls) = self.tls.clone() else {
            let (client, connection) = self.config.connect(NoTls).await.map_err(failed)?;
            tokio::spawn(drive(connection, heard));
            return Ok(client);
        };
        let (client, connection) = self.config.connect(tls).await.map_err(failed)?;
        tokio::spawn(drive(connection, heard));
        Ok(client)
    }

    pub async fn cancel(&self, token: &CancelToken) -> Result<(), tokio_postgres::Error> {
        match self.tls.clone() {
            Some(tls) => token.cancel_query(tls).await,
            None => token.cancel_query(NoTls).await,
        }
    }
}

/// Returns true if a later attempt to connect may succeed: the server is down or has no free
/// connection.
fn is_transient(cause: &tokio_postgres::Error) -> bool {
    if let Some(code) = cause.code() {
        let passing = [
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
        ];
        return passing.contains(code);
    }
    let source = std::error::Error::source(cause).and_then(|source| source.downcast_ref::<io::Error>());
    // An untrusted certificate is reported as invalid data.
    cause.is_closed() || source.is_some_and(|source| source.kind() != io::ErrorKind::InvalidData)
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|entry| entry.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::place::DatabaseLocation;

    fn read(text: &str) -> Result<ServerAddress, DatabaseError> {
        let Ok(DatabaseLocation::Server(url)) = text.parse() else { panic!("{text}") };
        ServerAddress::parse(&url)
    }

    #[test]
    fn other_machines_are_spoken_to_through_tls() {
        for (text, mode) in [
            ("postgres:///desk?host=/run/db", SslMode::Disable),
            ("postgres://ana@127.0.0.1/desk", SslMode::Disable),
            ("postgres://ana@[::1]/desk", SslMode::Disable),
            ("postgres://ana@localhost/desk?sslmode=require", SslMode::Require),
            ("postgres://ana@localhost/desk?sslmode=verify-full", SslMode::Require),
            ("postgres://ana@10.0.0.1/desk", SslMode::Require),
            ("postgres://ana@localhost,db.example/desk?sslmode=disable", SslMode::Require),
        ] {
            let address = read(text).expect("an address");
            assert_eq!(address.config.get_ssl_mode(), mode, "{text}");
            assert_eq!(address.tls.is_some(), mode == SslMode::Require, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_the_password() {
        for text in
            ["postgres://ana:s3cret@h:port/desk", "postgres://ana:s3cret@h/desk?sslrootcert=/not/there.pem"]
        {
            let refused = read(text).err().expect("refused").to_string();
            assert!(!refused.contains("s3cret"), "{refused}");
        }
    }
}
