//! Checks a connection completely, including its hosts and headers, without network access.

use crate::guard::{Policy, vet_header, vet_with_hosts};
use model::connections::mistake::ConnectionMistake;
use model::connections::{Auth, Connection, review as words};

/// Returns descriptions of all mistakes; empty if the connection can be used.
pub fn review(connection: &Connection, policy: Policy) -> Vec<String> {
    mistakes(connection, policy).into_iter().map(|mistake| mistake.why).collect()
}

/// Like [`review`], with the key of each mistake.
pub fn mistakes(connection: &Connection, policy: Policy) -> Vec<ConnectionMistake> {
    let mut wrong = words::find_mistakes(connection);
    let mut vet = |key: &'static str, what: &str, url: &str| {
        if let Err(refusal) = vet_with_hosts(url, policy, &connection.private_hosts) {
            let why =
                format!("{what}: {refusal}; a host in a private network must be listed in private_hosts");
            wrong.push(ConnectionMistake::at(key, why));
        }
    };
    vet("base_url", "base_url", &connection.base_url);
    if let Auth::ClientCredentials { token_url, .. } = &connection.auth {
        vet("auth", "token_url", token_url);
    }
    if let Auth::ApiKeyHeader { header } | Auth::CustomHeader { header, .. } = &connection.auth
        && let Err(refusal) = vet_header(header, "")
    {
        wrong.push(ConnectionMistake::at("auth", format!("header {header:?}: {refusal}")));
    }
    if let Auth::CustomHeader { prefix, .. } = &connection.auth
        && vet_header("x", prefix).is_err()
    {
        wrong.push(ConnectionMistake::at("auth", "prefix contains characters that a header cannot have"));
    }
    wrong
}

/// Checks that a credential can be sent as the connection requires; the error does not contain it.
pub fn review_secret(auth: &Auth, secret: &str) -> Result<(), String> {
    if secret.is_empty() {
        return Err(format!("the {} is empty", auth.secret_name()));
    }
    if secret.len() > 4_096 {
        return Err(format!("the {} is longer than 4,096 bytes", auth.secret_name()));
    }
    if matches!(auth, Auth::Bearer | Auth::ApiKeyHeader { .. } | Auth::CustomHeader { .. })
        && vet_header("x", secret).is_err()
    {
        return Err(format!(
            "the {} contains line breaks or other characters that a header cannot have",
            auth.secret_name()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_headers_are_judged_before_anything_is_kept() {
        let with = |base: &str, hosts: &[&str], auth: Auth| Connection {
            private_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            auth,
            ..Connection::new("shop", base)
        };
        let header = |header: &str| Auth::ApiKeyHeader { header: header.to_owned() };
        let token = |url: &str| Auth::ClientCredentials {
            token_url: url.to_owned(),
            client_id: "a".to_owned(),
            scope: None,
        };
        for (connection, said) in [
            (with("https://shop.example", &[], Auth::None), ""),
            (with("http://10.0.0.5:8080/api", &["10.0.0.5"], Auth::None), ""),
            (with("http://10.0.0.5:8080/api", &["10.0.0.5:8080"], Auth::None), ""),
            (with("http://orders.internal", &["orders.internal"], Auth::None), ""),
            (with("https://shop.example", &[], header("X-Api-Key")), ""),
            (with("http://10.0.0.5:8080/api", &["10.0.0.6"], Auth::None), "base_url"),
            (with("http://10.0.0.5:8080/api", &["10.0.0.5:80"], Auth::None), "base_url"),
            (with("http://shop.example", &[], Auth::None), "https"),
            (with("https://169.254.169.254", &["169.254.169.254"], Auth::None), "base_url"),
            (with("https://[fe80::1]", &["[fe80::1]"], Auth::None), "base_url"),
            (with("https://0.0.0.0", &["0.0.0.0"], Auth::None), "base_url"),
            (with("https://shop.example", &[], header("Host")), "cannot be set"),
            (with("https://shop.example", &[], header("content-length")), "cannot be set"),
            (with("https://shop.example", &[], header("TE")), "cannot be set"),
            (with("https://shop.example", &[], header("a\r\nX")), "not a valid header name"),
            (with("https://shop.example", &[], token("https://127.0.0.1/token")), "token_url"),
        ] {
            let wrong = review(&connection, Policy::default());
            match said {
                "" => assert_eq!(wrong, [] as [&str; 0], "{connection:?}"),
                said => assert!(wrong.iter().any(|text| text.contains(said)), "{said}: {wrong:?}"),
            }
        }
    }

    #[test]
    fn a_credential_that_breaks_a_header_is_refused_and_not_repeated() {
        for secret in ["a\r\nX: y", "a\nb", "a\0b", ""] {
            let refused = review_secret(&Auth::Bearer, secret).expect_err(secret);
            assert!(!refused.contains("X: y"), "{refused}");
        }
        assert_eq!(review_secret(&Auth::Bearer, "abc"), Ok(()));
        assert!(review_secret(&Auth::Bearer, &"x".repeat(5_000)).is_err());
    }
}
