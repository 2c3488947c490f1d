//! Key resolution, by default and with configured keys.

use crate::command::{Command as C, CommandScope, TABLE};
use crate::keymap::{KeyClash, KeyMap, Resolution, Sequence, fill_in_names};
use crate::keys::KeyPress;

const HISTORY: &[CommandScope] = &[CommandScope::History, CommandScope::Conversation, CommandScope::Desk];

fn press(names: &str) -> Sequence {
    KeyPress::parse_sequence(names).expect("key names")
}

type Changes = &'static [(C, &'static [&'static str])];

fn map(changes: &[(C, &[&str])]) -> KeyMap {
    let mut map = KeyMap::default();
    for (command, keys) in changes {
        map.bind(*command, keys.iter().map(|key| press(key)).collect());
    }
    map
}

#[test]
fn every_key_of_the_table_parses_and_none_clashes() {
    let map = KeyMap { reports_shift_enter: true, ..KeyMap::default() };
    for row in TABLE {
        assert_eq!(
            map.key_names(row.command).len(),
            if row.command == C::GoToTab { 1 } else { row.keys.len() }
        );
    }
    assert_eq!(map.clashes(), []);
}

#[test]
fn resolves_sequences() {
    let map = KeyMap::default();
    assert_eq!(map.resolve(HISTORY, &press("g")), Resolution::Pending);
    assert_eq!(map.resolve(HISTORY, &press("g n")), Resolution::Matched(C::NeedsYou));
    assert_eq!(map.resolve(HISTORY, &press("g g")), Resolution::Matched(C::Top));
    assert_eq!(map.resolve(HISTORY, &press("g y")), Resolution::Unknown);
    assert_eq!(map.resolve(&[CommandScope::Composer], &press("j")), Resolution::Unknown);
    let rest = map.continuations(&[CommandScope::Rows, CommandScope::Desk], &press("g"));
    assert!(rest.contains(&("o".to_owned(), C::GoToOutbox)) && rest.contains(&("g".to_owned(), C::Top)));
    assert!(!rest.iter().any(|(_, command)| *command == C::FirstUnseen), "not a key of these places");
}

#[test]
fn a_key_chosen_instead_is_the_only_one() {
    let map = map(&[(C::Reply, &["F2", "g j"]), (C::Undo, &[])]);
    assert_eq!(map.resolve(HISTORY, &press("F2")), Resolution::Matched(C::Reply));
    assert_eq!(map.resolve(HISTORY, &press("g j")), Resolution::Matched(C::Reply));
    assert_eq!(map.resolve(HISTORY, &press("r")), Resolution::Unknown);
    assert_eq!(
        (map.first_key_name(C::Reply), map.key_names(C::Reply)),
        ("F2".to_owned(), vec!["F2".into(), "g j".into()])
    );
    assert_eq!((map.first_key_name(C::Undo), map.key_names(C::Undo)), (":undo".to_owned(), vec![]));
    assert_eq!(map.clashes(), []);
    assert_eq!(
        map.fill_in_keys("{reply} answers, {undo} ends, {nothing} {"),
        "F2 answers, :undo ends, {nothing} {"
    );
}

#[test]
fn a_name_that_is_the_next_word_too_is_said_once() {
    let word = |command| crate::command::row(command).word.to_owned();
    let cases = [
        ("{undo} undo: it comes back", "undo: it comes back"),
        ("{undo} undone", "undo undone"),
        ("{undo}, {later} later", "undo, later"),
    ];
    for (words, expected) in cases {
        assert_eq!(fill_in_names(words, word), expected);
    }
}

#[test]
fn tabs_are_shown_as_a_range_of_digits() {
    assert_eq!(KeyMap::default().first_key_name(C::GoToTab), "1-9");
    let alt: Vec<String> = (1..=9).map(|number| format!("Alt-{number}")).collect();
    let alt: Vec<&str> = alt.iter().map(String::as_str).collect();
    assert_eq!(map(&[(C::GoToTab, &alt)]).key_names(C::GoToTab), ["Alt-1-9"]);
    assert_eq!(map(&[(C::GoToTab, &["F1", "F3"])]).key_names(C::GoToTab), ["F1", "F3"]);
}

#[test]
fn clashes_are_found_where_both_act() {
    let same = |keys: &str, one, other| KeyClash { keys: press(keys), one, other, longer: None };
    let cases: &[(Changes, &[KeyClash])] = &[
        (&[(C::Reply, &["p"])], &[same("p", C::Reply, C::PauseAi)]),
        // Swapped keys.
        (&[(C::Reply, &["p"]), (C::PauseAi, &["r"])], &[]),
        // List and history are never active at the same time.
        (&[(C::FirstUnseen, &["V v"])], &[]),
        (&[(C::FilterList, &["n"])], &[]),
        (&[(C::Send, &["Ctrl-J"])], &[same("Ctrl-J", C::Send, C::NewLine)]),
        (
            &[(C::Refresh, &["V"]), (C::MarkAgain, &["r"])],
            &[
                same("r", C::Reply, C::MarkAgain),
                KeyClash {
                    keys: press("V"),
                    one: C::Refresh,
                    other: C::MarkRange,
                    longer: Some(press("V v")),
                },
                KeyClash { keys: press("V"), one: C::Refresh, other: C::MarkAll, longer: Some(press("V a")) },
                KeyClash {
                    keys: press("V"),
                    one: C::Refresh,
                    other: C::MarkInverted,
                    longer: Some(press("V i")),
                },
                KeyClash {
                    keys: press("V"),
                    one: C::Refresh,
                    other: C::MarkNone,
                    longer: Some(press("V n")),
                },
            ],
        ),
    ];
    for (changes, wanted) in cases {
        let mut found = map(changes).clashes();
        let key = |clash: &KeyClash| (clash.keys.len(), clash.one as usize, clash.other as usize);
        found.sort_by_key(key);
        let mut wanted = wanted.to_vec();
        wanted.sort_by_key(key);
        assert_eq!(found, wanted, "{changes:?}");
    }
}

#[test]
fn words_of_help_name_only_commands_there_are() {
    for row in TABLE {
        let words = KeyMap::default().doc_with_keys(row.command);
        assert!(!words.contains('{'), "{words}");
    }
}

#[test]
fn in_a_dialog_only_keys_that_type_nothing() {
    let cases: [(&[&str], &str); 5] = [
        (&["R", "Ctrl-E"], "Ctrl-E"),
        (&["R"], "Ctrl-R"),
        (&[], "Ctrl-R"),
        (&["g r", "F7"], "F7"),
        (&["Enter"], "Ctrl-R"),
    ];
    for (keys, expected) in cases {
        let mut map = KeyMap::default();
        map.bind(C::Refresh, keys.iter().filter_map(|key| KeyPress::parse_sequence(key)).collect());
        assert_eq!(
            map.key_in_text(C::Refresh).map(|in_text| in_text.to_string()).as_deref(),
            Some(expected),
            "{keys:?}"
        );
    }
}
