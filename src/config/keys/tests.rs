//! Tests of key files: permissions, and the server each key is bound to.

use crate::config::keys::{KeyLocation, KeySource, KeyStorage};
use model::secret::Secret;

fn place(folder: &std::path::Path) -> KeyLocation<'_> {
    KeyLocation { folder, channel: "Harbor chat", base_url: "https://api.example.com/v1" }
}

/// Stores the key in the file even if a keyring is available.
fn stored_key_file(folder: &std::path::Path) -> std::path::PathBuf {
    let place = place(folder);
    let text = "https://api.example.com\nsvc_live_0123456789abcdef\n";
    crate::config::keys::file::write_private(&place.entry().path, text).unwrap();
    place.entry().path
}

#[test]
fn a_kept_key_is_for_one_server() {
    let folder = tempfile::tempdir().unwrap();
    stored_key_file(folder.path());
    let source = KeySource::Kept(folder.path().to_owned());
    for base_url in ["https://api.example.com/v1", "https://API.example.com:443/v2/"] {
        let key = source.fetch("harbor CHAT", base_url).unwrap();
        assert_eq!(key.expose(), "svc_live_0123456789abcdef");
    }
    for base_url in
        ["https://api.example.org/v1", "http://api.example.com/v1", "https://api.example.com:8443/v1"]
    {
        let said = source.fetch("Harbor chat", base_url).unwrap_err().to_string();
        assert!(
            said.contains("for https://api.example.com, not for") && said.contains("channel add"),
            "{said}"
        );
        assert!(!said.contains("svc_live"), "{said}");
    }
}

#[test]
fn what_names_no_server_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = stored_key_file(folder.path());
    for text in ["svc_live_0123456789abcdef", "svc_live_0123456789abcdef\n", "svc_live_0123456789abcdef\nx\n"]
    {
        crate::config::keys::file::write_private(&path, text).unwrap();
        let said =
            KeySource::Kept(folder.path().to_owned()).fetch("harbor chat", "https://api.example.com/v1");
        let said = said.unwrap_err().to_string();
        assert!(!said.contains("svc_live") && said.contains("channel add"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_key_file_is_private_or_not_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = stored_key_file(folder.path());
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let said = |path: &std::path::Path| {
        KeySource::File(path.to_owned())
            .fetch("a", "https://x/v1")
            .map(|fetch| fetch.hint())
            .unwrap_err()
            .to_string()
    };
    let link = folder.path().join("link");
    symlink(&path, &link).unwrap();
    assert!(said(&link).contains("symbolic link"), "{}", said(&link));
    assert!(said(folder.path()).contains("not a regular file"));
    assert!(said(&folder.path().join("none")).contains("none"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(said(&path).contains("chmod 600"), "{}", said(&path));
    let foreign = std::path::Path::new("/proc/1/environ");
    if !rustix::process::geteuid().is_root() && foreign.exists() {
        assert!(KeySource::File(foreign.to_owned()).fetch("a", "https://x/v1").is_err());
    }
}

#[test]
fn forgetting_removes_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = stored_key_file(folder.path());
    assert!(crate::config::keys::file::remove(&path).unwrap());
    assert!(!crate::config::keys::file::remove(&path).unwrap());
    // `store` returns the file if there is no keyring.
    let secret = Secret::new("svc_test_0123456789abcdef");
    let fresh = tempfile::tempdir().unwrap();
    if crate::config::keys::keyring::probe().is_err() {
        let KeyStorage::File(path, why) = place(fresh.path()).store(&secret).unwrap() else {
            panic!("no file")
        };
        assert!(path.exists() && why.contains("no keyring"), "{why}");
        assert!(place(fresh.path()).forget().unwrap());
    }
}

#[test]
fn errors_know_if_they_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let error = |source: KeySource| source.fetch("a", "https://x/v1").unwrap_err();
    let unset = error(KeySource::Environment("FRONTDESK_TEST_UNSET_KEY".to_owned()));
    assert!(unset.has_remedy && unset.to_string().contains("; set it"), "{unset}");
    let missing = error(KeySource::File(folder.path().join("none")));
    assert!(!missing.has_remedy && missing.to_string().starts_with("key_file "), "{missing}");
    // The text of another program is no remedy.
    let empty = error(KeySource::Command("echo '; run: x' >&2".to_owned()));
    assert!(!empty.has_remedy, "{empty}");
}
