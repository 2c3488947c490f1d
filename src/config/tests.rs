//! The example file parses, and each mistake gives one sentence.

use super::*;
use crate::shell::notify::NotifyMethod;
use inbox::command::Command;
use inbox::features::macros::Macro;
use inbox::features::macros::steps::MacroStep;
use inbox::keys::KeyPress;
use model::email::quoting::QuoteStyle;
use model::time::MINUTE;

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
away_minutes = 45
theme = "terminal"
ascii = true
mouse = false

[notify]
desktop = "osc777"
command = ["notify-send", "{title}", "{body}"]
quiet = "22:00-07:00"

[[views]]
name = "Iberia"
filter = "status:open from:+34 -is:snoozed"
sort = "waiting"
key = "i"
"#;

#[test]
fn reads_the_example() {
    let config = Config::parse("config.toml", EXAMPLE).expect("the example is valid");
    assert_eq!(config.channels.len(), 1);
    assert_eq!(config.channels[0].key, KeySource::Environment("HARBOR_CHAT_KEY".into()));
    assert_eq!((config.pause_on_reply, config.undo_chat_seconds), (PauseOnReply::Always, 0));
    assert_eq!((config.visible_seconds, config.background_seconds, config.ascii), (2, 20, Some(true)));
    assert_eq!(config.screen.away_minutes, 45);
    assert!(!config.screen.mouse && config.noticing.quiet_hours == Some((22 * 60, 7 * 60)));
    assert_eq!((config.notifier.way, config.notifier.command.len()), (NotifyMethod::Osc777, 3));
    let own = config.views.last().expect("the shipped views and this one");
    assert_eq!((own.name.as_str(), own.key, own.filter.tests.len()), ("Iberia", Some('i'), 3));
}

#[test]
fn says_where_what_and_what_to_do() {
    let channel = "[[channel]]\nname = \"a\"\nbase_url = \"https://x/v1\"\n";
    let kept = &Config::parse("/etc/frontdesk/config.toml", channel).expect("valid").channels[0].key;
    assert_eq!(*kept, KeySource::Kept("/etc/frontdesk".into()));
    let cases = [
        (
            "[behaviour]\npasue_on_reply = \"ask\"",
            "line 2: pasue_on_reply is not a key in [behaviour]; did you mean pause_on_reply?",
        ),
        ("[writing]\nvim = true\n", "line 2: vim was removed: "),
        ("[behavior]\n", "line 1: behavior is not a key; did you mean behaviour?"),
        ("[behaviour]\npause_on_reply = \"sometimes\"", "use one of: ask, always, never"),
        ("[polling]\nvisible_seconds = 0", "visible_seconds must be a whole number from 1 to 3600"),
        ("[ui]\nascii = \"yes\"", "ascii must be true or false, not "),
        ("[channel]\nname = \"a\"", "channel must be a list of tables"),
        ("[[channel]]\nkey_env = \"K\"", "line 2: [channel] needs name"),
        ("[notify]\nquiet = \"late\"", "line 2: quiet = \"late\" "),
        ("[notify]\ncommand = \"x\"", "command must be a list of "),
        ("[ui]\ntheme = \"neon\"", "use one of: auto, dark, light, terminal, mono"),
        (
            "[[views]]\nname = \"a\"\nfilter = \"statsu:open\"",
            "line 3: view \"a\": statsu: is not known; did you mean status:?",
        ),
        ("[[views]]\nname = \"drafts\"\nfilter = \"is:paused\"", "line 2: two views "),
        ("[[views]]\nname = \"a\"\nfilter = \"b\"\nkey = \"j\"", "line 4: view \"a\": key = \"j\" "),
        ("[[views]]\nname = \"a\"\nfilter = \"b\"\nkey = \"1\"", "by \"Inbox\""),
        (
            "[[views]]\nname = \"a\"\nfilter = \"b\"\nsort = \"size\"",
            "use one of: activity, section, waiting, urgency, window, name",
        ),
        ("[ui\n", "line 1"),
    ];
    for (text, expected) in cases {
        let error = Config::parse("config.toml", text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}\n  said: {error}");
    }
    let twice = format!("{channel}key_env=\"K\"\n{channel}key_env=\"K\"\n");
    let error = Config::parse("config.toml", &twice).expect_err("two of one name").to_string();
    assert!(error.contains("line 6: two channels "), "{error}");
}

#[test]
fn every_mistake_is_told() {
    let text = "[[channel]]\nnmae = \"a\"\n[behaviour]\npause_on_reply = 1\nundo_seconds = { chat = -1 }\n\
                [ui]\nascii = 1\ntheme = \"x\"\n";
    let (config, mistakes) = Config::examine("f", text);
    let lines: Vec<&str> = mistakes.iter().map(|error| error.place.as_str()).collect();
    assert_eq!(
        lines,
        ["f, line 2", "f, line 2", "f, line 2", "f, line 4", "f, line 5", "f, line 7", "f, line 8"]
    );
    assert_eq!(config, Config::default());
    let twice = "[[channel]]\nname=\"A\"\nbase_url=\"https://x/v1\"\n[[channel]]\nname=\"a\"\nbase_url=\"https://x/v1\"\n";
    let error = Config::parse("f", twice).expect_err("drafts would be shared").to_string();
    assert!(error.contains("two channels "), "{error}");
}

#[test]
fn keys_are_chosen_by_the_name_of_a_command() {
    let text =
        "[keys]\nreply = \"p\"\npause-ai = [\"r\", \"F2\"]\nundo = [\"F7\"]\nclaim = []\nsend = \"Ctrl-S\"\n";
    let keymap = Config::parse("f", text).expect("they swap").keymap;
    assert_eq!(
        (keymap.first_key_name(Command::Reply), keymap.first_key_name(Command::PauseAi)),
        ("p".into(), "r".into())
    );
    assert_eq!(keymap.key_names(Command::PauseAi), ["r", "F2"]);
    assert_eq!(
        (keymap.first_key_name(Command::Claim), keymap.first_key_name(Command::Send)),
        (":claim".into(), "Ctrl-S".into())
    );
}

/// Asserts the place of each mistake, and the parts that its text contains.
fn assert_mistakes(said: &[String], prefix: &str, wanted: &[(u32, &[&str])]) {
    assert_eq!(said.len(), wanted.len(), "{said:#?}");
    for (mistake, (line, parts)) in said.iter().zip(wanted) {
        let place = format!("config.toml, line {line}: {prefix}");
        assert!(mistake.starts_with(&place), "{place}: {mistake}");
        assert!(parts.iter().all(|part| mistake.contains(part)), "{parts:?}: {mistake}");
    }
}

#[test]
fn every_mistake_about_keys_is_told_at_once() {
    let text = r#"[keys]
reply = "p"
replay = "F2"
quit = "Strg-Q"
undo = ["Ctrl-I", "Shift-u", ""]
send = "x"
new-line = "g x"
leave = []
refresh = "V"
go-to-tab = ["Alt-1", "b"]
top = 3
"#;
    let (config, mistakes) = Config::examine("config.toml", text);
    let said: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let wanted: [(u32, &[&str]); 12] = [
        (2, &["p is both reply and pause-ai"]),
        (3, &["replay is not a command; did you mean reply?"]),
        (4, &["quit = \"Strg-Q\": Strg-Q ", "Ctrl- or Alt-", "PgUp, PgDn, F1 to F12"]),
        (5, &["undo = \"Ctrl-I\": terminals send Tab for Ctrl-I"]),
        (5, &["undo = \"Shift-u\": ", "write U"]),
        (5, &["undo = \"\": ", "[]"]),
        (6, &["send = \"x\": this key types a character"]),
        (7, &["new-line = \"g x\": "]),
        (8, &["leave needs a key"]),
        (9, &["V is refresh", "V a, mark-all", "V i, mark-inverted", "V n, mark-none", "V r, mark-again"]),
        (10, &["go-to-tab = \"b\": it must end in "]),
        (11, &["top must be ", ", not a number"]),
    ];
    assert_mistakes(&said, "[keys] ", &wanted);
    assert_eq!(config.keymap.first_key_name(Command::Quit), "q", "what is mistaken keeps its key");
}

#[test]
fn macros_and_senders_tell_all_their_mistakes() {
    let text = r#"
[senders]
flow = "Order bot"
empty = ""
[[macros]]
letter = "n"
key = "F8"
steps = ["pause-ai", ":tag vip", "type Hello", "press Enter"]
[[macros]]
letter = "n"
steps = ["pause-ia", "press Strg-X"]
key = "p"
[[macros]]
letter = "xy"
key = "F8"
"#;
    let (config, mistakes) = Config::examine("config.toml", text);
    let said: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let wanted: [(u32, &[&str]); 8] = [
        (4, &["[senders] needs empty = \"…\""]),
        (10, &["two macros ", "the letter \"n\""]),
        (11, &["\"pause-ia\" is ", "did you mean \"pause-ai\"?"]),
        (11, &["\"Strg-X\" is "]),
        (12, &["key = \"p\" is a key of pause-ai"]),
        (14, &["letter = \"xy\" must be one letter or digit"]),
        (15, &["[macros] needs steps = "]),
        (15, &["key = \"F8\" "]),
    ];
    assert_mistakes(&said, "", &wanted);
    assert_eq!(config.senders, [("flow".to_owned(), "Order bot".to_owned())]);
    let key = |name: &str| KeyPress::parse(name).expect("a key");
    let steps = vec![
        MacroStep::Command(Command::PauseAi, key("p")),
        MacroStep::Line("tag vip".to_owned()),
        MacroStep::Paste("Hello".to_owned()),
        MacroStep::Key(key("Enter")),
    ];
    assert_eq!(config.macros, [Macro { letter: 'n', steps, key: Some(key("F8")) }]);
}

#[test]
fn webhooks_come_to_an_address_that_is_reached_under_tls() {
    let read = |lines: &str| Config::examine("config.toml", &format!("[receiver]\n{lines}\n"));
    let (config, mistakes) =
        read("listen = \"127.0.0.1:8790\"\npublic_url = \"https://desk.example.com/hooks/\"");
    assert_eq!(mistakes, []);
    let receiver = config.receiver.expect("a receiver");
    assert_eq!(receiver.listen, "127.0.0.1:8790".parse().expect("an address"));
    assert_eq!(receiver.public_url, "https://desk.example.com/hooks");
    let local = read("listen = \"[::1]:8790\"\npublic_url = \"http://localhost:8790\"");
    assert_eq!((local.1, local.0.receiver.is_some()), (vec![], true));
    // (listen, public_url, expected error)
    let cases = [
        ("8790", "https://desk.example.com", "listen = \"8790\" "),
        ("127.0.0.1:1", "http://desk.example.com", "must begin with https://, except on loopback"),
        ("127.0.0.1:1", "desk", " address: "),
        ("127.0.0.1:1", "https://desk.example.com/?a=b", "must be an address"),
    ];
    for (listen, url, words) in cases {
        let (config, mistakes) = read(&format!("listen = \"{listen}\"\npublic_url = \"{url}\""));
        assert_eq!((config.receiver, mistakes.len()), (None, 1), "{listen} {url}");
        assert!(mistakes[0].to_string().contains(words), "{}", mistakes[0]);
    }
    let (_, mistakes) = read("listens = \"127.0.0.1:1\"");
    assert!(mistakes.iter().any(|error| error.problem.contains("did you mean listen?")), "{mistakes:?}");
}

#[test]
fn an_address_no_key_may_be_sent_to_is_told_with_its_line() {
    let cases = [
        ("https://api.example.com/v1", ""),
        ("http://127.0.0.1:8787/v1", ""),
        ("x", "must begin with https://, or http:// on this machine"),
        ("api.example.com:443/v1", "must begin with https://, or http:// on this machine"),
        ("http://api.example.com/v1", "must begin with https://, or http:// on this machine"),
        ("https://api.example.com/v1?a=b", "it contains a query (?) or a fragment (#)"),
    ];
    for (url, problem) in cases {
        let text = format!("[[channel]]\nname = \"a\"\nkey_env = \"K\"\nbase_url = \"{url}\"\n");
        match Config::parse("config.toml", &text) {
            Ok(_) => assert_eq!(problem, "", "{url}"),
            Err(mistakes) => {
                let said = mistakes.to_string();
                assert!(!problem.is_empty() && said.contains(problem), "{url}: {said}");
                assert!(said.starts_with("config.toml, line 4: base_url "), "{said}");
            }
        }
    }
}

#[test]
fn mails_of_a_channel_begin_as_configured() {
    let channel = |more: &str| {
        let text = format!("[[channel]]\nname = \"Mail\"\nbase_url = \"https://api.example.com/v1\"\n{more}");
        Config::parse("config.toml", &text).map(|config| config.channels[0].mail.clone())
    };
    assert_eq!(channel(""), Ok(MailStyle::default()));
    let more = "mail_from = \"Ana <ana@harbor.example>\"\nmail_signature = \"\"\"Ana\nHarbor\"\"\"\nmail_quote = \"above\"\nmail_attribution = \"{name} wrote:\"";
    let wanted = MailStyle {
        from: Some("Ana <ana@harbor.example>".to_owned()),
        signature: Some("Ana\nHarbor".to_owned()),
        quoting: QuoteStyle::Above,
        attribution: Some("{name} wrote:".to_owned()),
    };
    assert_eq!(channel(more), Ok(wanted));
    assert!(channel("mail_from = \"Ana from Harbor\"").is_ok(), "a name alone");
    for (wrong, told) in [
        ("mail_from = \"a@b, c@d.example\"", "such as Ana <ana@harbor.example>"),
        ("mail_quote = \"top\"", "use one of: below, above, between, none"),
        ("mail_signatur = \"x\"", "mail_signature"),
    ] {
        let why = channel(wrong).expect_err("a mistake").to_string();
        assert!(why.contains(told), "{why}");
    }
}

#[test]
fn a_channel_has_its_own_targets_in_place_of_those_of_all() {
    let channel = |name: &str, more: &str| {
        format!("[[channel]]\nname = \"{name}\"\nbase_url = \"https://x/v1\"\n{more}\n")
    };
    let own = channel("chat", "first_response_minutes = 2");
    let all = "[targets]\nfirst_response_minutes = 10\nwaiting_minutes = 30\n";
    let text = format!("{own}{}{all}", channel("mail", "waiting_minutes = 0"));
    let targets = Config::parse("c.toml", &text).expect("valid").targets();
    let minutes: Vec<_> = targets
        .iter()
        .map(|(channel, target)| (channel.as_str(), target.first_response / MINUTE, target.waiting / MINUTE))
        .collect();
    assert_eq!(minutes, [("chat", 2, 30), ("mail", 10, 0)]);
    assert!(Config::parse("c.toml", &channel("chat", "")).expect("valid").targets().is_empty());
    let wrong = Config::parse("c.toml", &format!("{own}[targets]\nwaiting_minutes = -1\n"));
    assert!(wrong.unwrap_err().to_string().contains("waiting_minutes"));
}
