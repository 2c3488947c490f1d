//! Causes of failed connections, by `doctor`, `channel test` and `list`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use serde_json::json;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::{channel, doctor_lines};
use crate::binary::{Binary, free_port};
use crate::desk::Desk;

const KEY: &str = "svc_live_0123456789abcdef0123";

/// A server that answers each connection with these bytes. Returns its port.
fn answering(bytes: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(bytes);
        }
    });
    port
}

/// A TLS server with a certificate that it has signed itself. Returns its port and the certificate.
fn certified(change: impl Fn(&mut rcgen::CertificateParams)) -> (u16, String) {
    frontdesk::client::install_tls();
    let key = rcgen::KeyPair::generate().expect("a key");
    let mut asked = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    change(&mut asked);
    let made = asked.self_signed(&key).expect("a certificate");
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![made.der().clone()], private).expect("a server");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).expect("a connection");
            let _ = StreamOwned::new(connection, stream).read(&mut [0; 4096]);
        }
    });
    (port, made.pem())
}

/// The doctor, `channel test` and `list` say these words, and the doctor sends nobody to the network.
#[track_caller]
fn is_told(base_url: &str, set: &[(&str, &str)], words: &str) {
    let mut binary = Binary::new();
    binary.set("SHOP_KEY", KEY);
    for name in
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_DIR"]
    {
        binary.set(name, "");
    }
    set.iter().for_each(|(name, value)| binary.set(name, value));
    binary.configure(&channel(base_url, "key_env = \"SHOP_KEY\""));
    let found = doctor_lines(&binary, "Shop", &[]).remove(0);
    assert!(found.starts_with("fail") && found.contains(words), "{words:?} is not in {found}");
    assert!(!found.contains("and the network"), "{found}");
    for arguments in [&["channel", "test"][..], &["list", "--timeout", "5"]] {
        let ended = binary.run(arguments, "");
        assert!(ended.err.contains(words), "{arguments:?}: {words:?} is not in {}", ended.err);
        assert!(!ended.err.contains("check the connection"), "{}", ended.err);
    }
}

#[test]
fn proxy_is_named_with_its_variable() {
    let server = "https://desk.example.com/v1";
    let dead = format!("127.0.0.1:{}", free_port());
    let words =
        format!("the proxy {dead} (HTTPS_PROXY) refused the connection; start it, or unset HTTPS_PROXY");
    is_told(server, &[("HTTPS_PROXY", &format!("http://ann:pw@{dead}"))], &words);
    let unknown = "the name of the proxy proxy.invalid:3128 (ALL_PROXY) was not found";
    is_told(server, &[("ALL_PROXY", "http://proxy.invalid:3128")], unknown);
    let answers: [(&[u8], &str); 2] = [
        (b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", "did not connect to the server"),
        (
            b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
            "(407); set HTTPS_PROXY",
        ),
    ];
    for (bytes, words) in answers {
        is_told(server, &[("HTTPS_PROXY", &format!("http://127.0.0.1:{}", answering(bytes)))], words);
    }
}

#[test]
fn fault_of_a_certificate_is_named() {
    let year = rcgen::date_time_ymd;
    let (port, own) = certified(|_| {});
    let folder = tempfile::tempdir().expect("a folder");
    let trust = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let other = certified(|_| {}).1;
    let url = |port: u16| format!("https://localhost:{port}/v1");
    let unknown = "from an authority that this machine does not trust; set SSL_CERT_FILE to the file";
    is_told(&url(port), &[("SSL_CERT_FILE", &trust("other.pem", &other))], unknown);
    let file = trust("own.pem", &own);
    let named = format!("https://127.0.0.1:{port}/v1");
    is_told(&named, &[("SSL_CERT_FILE", &file)], "certificate is for localhost; correct base_url");
    let (port, old) = certified(|asked| {
        (asked.not_before, asked.not_after) = (year(2020, 1, 1), year(2021, 1, 1));
    });
    is_told(&url(port), &[("SSL_CERT_FILE", &trust("old.pem", &old))], "certificate has expired");
    let (port, early) = certified(|asked| {
        (asked.not_before, asked.not_after) = (year(2090, 1, 1), year(2091, 1, 1));
    });
    let words = "certificate is not valid yet; check the clock of this machine";
    is_told(&url(port), &[("SSL_CERT_FILE", &trust("early.pem", &early))], words);
    let missing = folder.path().join("none.pem").display().to_string();
    let words = format!("SSL_CERT_FILE {missing} cannot be read");
    is_told(&url(port), &[("SSL_CERT_FILE", &missing)], &words);
    let empty = trust("empty.pem", "");
    is_told(&url(port), &[("SSL_CERT_FILE", &empty)], &format!("SSL_CERT_FILE {empty} holds no certificate"));
}

#[test]
fn wrong_scheme_is_named() {
    let plain = answering(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    let (_, trusted) = certified(|_| {});
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, trusted).expect("written");
    let set = [("SSL_CERT_FILE", file.to_str().expect("text"))];
    is_told(&format!("https://127.0.0.1:{plain}/v1"), &set, "answers without TLS; write http://");
    // The alert of a TLS server that gets a request in clear text.
    let alert = answering(&[0x15, 3, 3, 0, 2, 2, 70]);
    is_told(&format!("http://127.0.0.1:{alert}/v1"), &set, "if it answers with TLS, write https://");
}

#[test]
fn address_without_version_is_named() {
    let desk = Desk::new(80, 24);
    let base_url = desk.base_url.trim_end_matches("/v1").to_owned();
    let words = format!("nothing at {base_url}/account; the address should end in /v1");
    is_told(&base_url, &[], &words);
    let binary = Binary::new();
    let add = ["channel", "add", "--name", "Shop", "--base-url", &base_url];
    let said = binary.fails(1, &add, &format!("{}\n", desk.key_of("whatsapp")));
    assert!(said.contains(&words), "{said}");
}

#[test]
fn failing_server_is_not_called_a_wrong_address() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.set("SHOP_KEY", &desk.key_of("whatsapp"));
    binary.configure(&channel(&desk.base_url, "key_env = \"SHOP_KEY\""));
    desk.dev("fault", json!({"path_prefix": "/account", "count": 9, "status": 503}));
    let found = doctor_lines(&binary, "Shop", &[]).remove(0);
    let words = "the server is there but fails; try again later, or look at its log";
    assert!(found.contains(words) && !found.contains("base_url"), "{found}");
}
