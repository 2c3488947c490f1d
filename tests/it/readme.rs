//! The README's key table is the command table, and its example
//! configuration is one that reads. `UPDATE_README=1` writes the table anew.

use std::fmt::Write;
use std::path::Path;

use frontdesk::app::commands::{Place, TABLE, keys_of};
use frontdesk::config::Config;

fn readme() -> (std::path::PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).expect("the README is there");
    (path, text)
}

fn key_table() -> String {
    let mut table = String::from("\n| where | key | does |\n|---|---|---|\n");
    for place in Place::ALL {
        for row in TABLE.iter().filter(|it| it.place == place) {
            let keys: Vec<String> =
                keys_of(row.command).split(", ").map(|it| format!("`{}`", it.replace('|', "\\|"))).collect();
            writeln!(table, "| {} | {} | {} |", place.heading(), keys.join(" "), row.doc).expect("a string");
        }
    }
    table
}

#[test]
fn the_key_table_is_the_command_table() {
    let (path, text) = readme();
    let (before, rest) = text.split_once("<!-- keys -->").expect("the mark before the table");
    let (found, after) = rest.split_once("<!-- /keys -->").expect("the mark after the table");
    let table = key_table();
    if found != table && std::env::var_os("UPDATE_README").is_some() {
        let text = format!("{before}<!-- keys -->{table}<!-- /keys -->{after}");
        return std::fs::write(path, text).expect("the README can be written");
    }
    assert_eq!(found, table, "run the tests with UPDATE_README=1");
}

#[test]
fn the_example_configuration_reads() {
    let (_, text) = readme();
    let (_, rest) = text.split_once("```toml").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let config = Config::parse("README.md", example).expect("the example is valid");
    assert_eq!(config.channels.len(), 1);
}

#[test]
fn every_command_of_the_readme_is_one_the_binary_knows() {
    use clap::CommandFactory;
    let (_, text) = readme();
    let mut checked = 0;
    for line in text.lines().filter_map(|it| it.strip_prefix("cargo run --release -- ")) {
        let words = std::iter::once("frontdesk").chain(line.split_whitespace());
        let parsed = frontdesk::cli::Cli::command().try_get_matches_from(words);
        assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|it| it.to_string()).unwrap_or_default());
        checked += 1;
    }
    assert!(checked >= 2, "the README has lost its commands");
}
