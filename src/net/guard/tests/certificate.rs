//! Self-signed test certificate for `hooks.example`, its key, and a configuration that trusts only
//! it.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

/// DER; P-256, valid from 2020 to 2120.
const CERTIFICATE: &str = "\
MIIBVTCB+6ADAgECAgEBMAoGCCqGSM49BAMCMBgxFjAUBgNVBAMMDWhvb2tzLmV4YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgP\
MjEyMDAxMDEwMDAwMDBaMBgxFjAUBgNVBAMMDWhvb2tzLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR3evr5\
uN+n1r6+DjB9OnthAKn/Bl7DlYxT/G9+YzdJsTEE5FX26axZlhzfrRo5rGDMv1nYO5Cv1Dh4sTzFcD/6ozQwMjAiBgNVHREE\
GzAZgg1ob29rcy5leGFtcGxlgggqLm5pcC5pbzAMBgNVHRMBAf8EAjAAMAoGCCqGSM49BAMCA0kAMEYCIQC3ZumLsYUJSgyh\
0TNYFUoUTuM6fAOzv4K/M5kZZ3DfYAIhAOApWDerFFIdx6Kwlr5qGbffz+lAaLz0LhLy00h1Y9Y0";

/// PKCS #8, DER.
const KEY: &str = "\
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwdt31lP820Y3srSj45TjKwKQXamBQn6aYV+VhMZzBP+hRANC\
AAR3evr5uN+n1r6+DjB9OnthAKn/Bl7DlYxT/G9+YzdJsTEE5FX26axZlhzfrRo5rGDMv1nYO5Cv1Dh4sTzFcD/6";

fn certificate() -> CertificateDer<'static> {
    BASE64_STANDARD.decode(CERTIFICATE).expect("base64").into()
}

pub fn server() -> Arc<ServerConfig> {
    let key = PrivatePkcs8KeyDer::from(BASE64_STANDARD.decode(KEY).expect("base64"));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate()], PrivateKeyDer::Pkcs8(key))
        .expect("a key that fits");
    Arc::new(config)
}

pub fn trust() -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}
