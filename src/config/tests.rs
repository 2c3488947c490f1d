//! The example reads; each mistake is told in one sentence.

use super::*;

const EXAMPLE: &str = r#"
[[channel]]
name = "Harbor chat"
base_url = "https://api.example.com/v1"
key_env = "HARBOR_CHAT_KEY"
read_only = false

[behaviour]
pause_on_reply = "always"
undo_seconds = { chat = 0, email = 10, broadcast = 15 }

[polling]
visible_seconds = 2
background_seconds = 20

[ui]
theme = "terminal"
ascii = true
"#;

#[test]
fn reads_the_example() {
    let config = Config::parse("config.toml", EXAMPLE).expect("the example is valid");
    assert_eq!(config.channels.len(), 1);
    assert_eq!(config.channels[0].key, KeySource::Environment("HARBOR_CHAT_KEY".into()));
    assert_eq!((config.pause_on_reply, config.undo_chat_seconds), (PauseOnReply::Always, 0));
    assert_eq!((config.visible_seconds, config.background_seconds, config.ascii), (2, 20, true));
}

#[test]
fn says_where_what_and_what_to_do() {
    let channel = "[[channel]]\nname = \"a\"\nbase_url = \"https://x/v1\"\n";
    let cases = [
        (
            "[behaviour]\npasue_on_reply = \"ask\"",
            "line 2: pasue_on_reply is not a key in [behaviour]; did you mean pause_on_reply?",
        ),
        ("[behavior]\n", "line 1: behavior is not a key; did you mean behaviour?"),
        ("[behaviour]\npause_on_reply = \"sometimes\"", "use one of: ask, always, never"),
        ("[polling]\nvisible_seconds = 0", "visible_seconds must be a whole number from 1 to 3600"),
        ("[ui]\nascii = \"yes\"", "ascii must be true or false, not a text in quotes"),
        (
            "[channel]\nname = \"a\"",
            "channel must be a list of tables, each starting with [[channel]], not a table",
        ),
        (channel, "channel \"a\" has no key: add key_env, key_command or key_file"),
        ("[[channel]]\nkey_env = \"K\"", "line 2: [channel] needs name"),
        ("[ui\n", "line 1"),
    ];
    for (text, expected) in cases {
        let error = Config::parse("config.toml", text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}\n  said: {error}");
    }
    let twice = format!("{channel}key_env=\"K\"\n{channel}key_env=\"K\"\n");
    let error = Config::parse("config.toml", &twice).expect_err("two of one name").to_string();
    assert!(error.contains("line 6: two channels are called \"a\""), "{error}");
}

#[cfg(unix)]
#[test]
fn a_key_file_must_be_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key");
    std::fs::write(&path, "svc_live_abc\n").expect("written");
    let channel = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        let key = KeySource::File(path.clone());
        ChannelConfig { name: "a".into(), base_url: "https://x/v1".into(), key, read_only: false }
    };
    let error = channel(0o644).fetch_key().expect_err("readable by others").to_string();
    assert!(error.contains("chmod 600"), "{error}");
    assert_eq!(channel(0o600).fetch_key().expect("private").expose(), "svc_live_abc");
}
