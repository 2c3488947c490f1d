//! The rows agree with parsing.

use serde_json::Value;

use super::*;
use crate::config::schema::schema;
use crate::config::{Config, ConfigError};

/// File with one line in a table, plus all its required keys.
fn file(table: &SettingTable, line: &str) -> String {
    let mut lines = vec![table.heading()];
    for needed in table.settings.iter().filter(|setting| setting.required && !line.starts_with(setting.key)) {
        lines.push(match needed.key {
            "base_url" => "base_url = \"https://settings.example/v1\"".to_owned(),
            "url" => "url = \"https://settings.example/v1\"".to_owned(),
            "listen" => "listen = \"127.0.0.1:8790\"".to_owned(),
            "public_url" => "public_url = \"https://desk.example.com\"".to_owned(),
            "steps" => "steps = [\"pause-ai\"]".to_owned(),
            "letter" => "letter = \"n\"".to_owned(),
            key => format!("{key} = \"open\""),
        });
    }
    lines.push(line.to_owned());
    lines.join("\n")
}

fn mistakes(table: &SettingTable, line: &str) -> Vec<ConfigError> {
    Config::examine("config.toml", &file(table, line)).1
}

fn rows() -> impl Iterator<Item = (&'static SettingTable, &'static Setting)> {
    TABLES.iter().flat_map(|table| table.settings.iter().map(move |setting| (table, setting)))
}

#[test]
fn what_holds_without_a_key_is_what_its_row_says() {
    for (table, setting) in rows().filter(|row| !row.1.default.is_empty()) {
        let (with, wrong) =
            Config::examine("", &file(table, &format!("{} = {}", setting.key, setting.default)));
        assert_eq!(wrong, [], "{} {}", table.name, setting.key);
        let (mut without, _) = Config::examine("", &file(table, ""));
        // Relative to the file; an unset one has its default place.
        without.replies = with.replies.clone();
        assert_eq!(with, without, "{} {}", table.name, setting.key);
    }
}

#[test]
fn numbers_are_taken_from_the_first_to_the_last() {
    let mut checked = 0;
    for (table, setting) in rows() {
        let Number(from, to) = setting.value else { continue };
        let wrong = |number: i64| mistakes(table, &format!("{} = {number}", setting.key));
        assert_eq!((wrong(from), wrong(to)), (vec![], vec![]), "{}", setting.key);
        for number in [from - 1, to + 1] {
            let told = wrong(number);
            assert!(told.len() == 1 && told[0].problem.contains(&setting.describe_value()), "{told:?}");
        }
        checked += 1;
    }
    assert!(checked >= 7, "{checked}");
}

#[test]
fn words_are_taken_as_they_are_listed_and_others_refused() {
    let mut checked = 0;
    for (table, setting) in rows() {
        let Word(words) = setting.value else { continue };
        for word in words() {
            assert_eq!(mistakes(table, &format!("{} = {word:?}", setting.key)), [], "{} {word}", setting.key);
        }
        let told = mistakes(table, &format!("{} = \"nonsense\"", setting.key));
        assert!(told.len() == 1 && told[0].problem.contains(&words().join(", ")), "{told:?}");
        checked += 1;
    }
    assert!(checked >= 5, "{checked}");
}

#[test]
fn kinds_are_those_that_are_read() {
    for (table, setting) in rows() {
        let line = match setting.value {
            Text | Word(_) | TextOrTexts => "1",
            Flag | Number(..) | Texts => "\"x\"",
        };
        let told = mistakes(table, &format!("{} = {line}", setting.key));
        assert!(
            told.iter().any(|error| error.problem.contains(setting.key)),
            "{} {}: {told:?}",
            table.name,
            setting.key
        );
    }
}

#[test]
fn what_is_required_is_missed() {
    for (table, setting) in rows().filter(|row| row.1.required) {
        let whole = file(table, "");
        let without: Vec<&str> =
            whole.lines().filter(|line| !line.starts_with(&format!("{} =", setting.key))).collect();
        let (_, told) = Config::examine("config.toml", &without.join("\n"));
        assert!(
            told.iter().any(|error| error.problem.contains(setting.key)),
            "{} {}: {told:?}",
            table.name,
            setting.key
        );
    }
}

#[test]
fn the_schema_has_every_key_and_no_other() {
    let schema = schema();
    let table = |of: &SettingTable| -> Value {
        let at = match of.form {
            TableForm::Within(above) => &schema["properties"][above]["properties"][of.name],
            TableForm::Once | TableForm::File => &schema["properties"][of.name],
            TableForm::Repeated => &schema["properties"][of.name]["items"],
        };
        at.clone()
    };
    for of in TABLES.iter().filter(|table| !table.settings.is_empty()) {
        let found = table(of);
        let mut keys: Vec<&str> =
            found["properties"].as_object().expect("properties").keys().map(String::as_str).collect();
        let mut wanted = SettingTable::keys(of.name);
        keys.sort_unstable();
        wanted.sort_unstable();
        assert_eq!((keys, &found["additionalProperties"]), (wanted, &Value::Bool(false)), "{}", of.name);
    }
    let polling = &schema["properties"]["polling"]["properties"]["visible_seconds"];
    assert_eq!(
        (&polling["minimum"], &polling["maximum"], &polling["default"]),
        (&1.into(), &3600.into(), &3.into())
    );
    let keys = schema["properties"]["keys"]["properties"].as_object().expect("commands");
    assert_eq!(keys.len(), inbox::command::TABLE.len());
}
