//! Edits the configuration file. Comments and order are preserved.

use std::fs;
use std::io;
use std::path::Path;

use inbox::settings::Footer;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// Channel as written by `channel add`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelTable<'a> {
    pub name: &'a str,
    pub base_url: &'a str,
    pub key_env: Option<&'a str>,
    pub read_only: bool,
}

/// Returns the text with a channel added or updated.
pub fn with_channel(text: &str, entry: &ChannelTable<'_>) -> Result<String, String> {
    let mut document = parse(text)?;
    let channels = channels(&mut document)?;
    let index = position(channels, entry.name);
    if index.is_none() {
        let mut table = Table::new();
        table.insert("name", value(entry.name));
        channels.push(table);
    }
    let last = channels.len() - 1;
    let table = channels.get_mut(index.unwrap_or(last)).ok_or("the channel was not found again")?;
    table.insert("base_url", value(entry.base_url));
    match entry.key_env {
        Some(variable) => {
            table.insert("key_env", value(variable));
        }
        None => {
            table.remove("key_env");
        }
    }
    if entry.read_only {
        table.insert("read_only", value(true));
    }
    Ok(document.to_string())
}

/// Returns `None` if there is no channel of this name.
pub fn without_channel(text: &str, name: &str) -> Result<Option<String>, String> {
    let mut document = parse(text)?;
    let channels = channels(&mut document)?;
    let Some(index) = position(channels, name) else { return Ok(None) };
    channels.remove(index);
    if channels.is_empty() {
        document.remove("channel");
    }
    Ok(Some(document.to_string()))
}

pub fn write_footer(path: &Path, footer: Footer) -> Result<(), String> {
    let text = match disk::read_text(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| format!("{}: {error}", path.display())),
    }?;
    let changed = with_footer(&text, footer).map_err(|why| format!("{}: {why}", path.display()))?;
    write(path, &changed).map_err(|error| format!("{}: {error}", path.display()))
}

/// A comment behind the setting is kept.
fn with_footer(text: &str, footer: Footer) -> Result<String, String> {
    let mut document = parse(text)?;
    let ui = document.entry("ui").or_insert_with(|| Item::Table(Table::new()));
    let ui = ui.as_table_like_mut().ok_or("ui is not a table")?;
    match ui.get_mut("footer").and_then(Item::as_value_mut) {
        Some(kept) => {
            let around = kept.decor().clone();
            *kept = footer.word().into();
            *kept.decor_mut() = around;
        }
        None => {
            ui.insert("footer", value(footer.word()));
        }
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())
}

fn channels(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, String> {
    let item = document.entry("channel").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    item.as_array_of_tables_mut().ok_or_else(|| "channel is not a list of [[channel]] tables".to_owned())
}

fn position(channels: &ArrayOfTables, name: &str) -> Option<usize> {
    channels.iter().position(|channel| channel.get("name").and_then(Item::as_str) == Some(name))
}

/// Writes the configuration file atomically, readable by its owner only. A symbolic link is kept and its
/// target written.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    disk::write_with_folder(&target, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const FILE: &str = "# mine\n[[channel]]  # first\nname = \"a\"\nbase_url = \"https://a/v1\"   # keep\n\
                        key_env = \"A\"\n\n[ui]\nascii = true # yes\n";

    fn entry<'a>(name: &'a str, key_env: Option<&'a str>) -> ChannelTable<'a> {
        ChannelTable { name, base_url: "https://b.example/v1", key_env, read_only: false }
    }

    #[test]
    fn adding_keeps_what_is_there() {
        for text in ["", FILE, "[ui]\nascii = true\n"] {
            let changed = with_channel(text, &entry("b \"x\"", Some("B"))).unwrap();
            for line in text.lines() {
                assert!(changed.contains(line), "{line} is gone from:\n{changed}");
            }
            let config = Config::parse("config.toml", &changed)
                .unwrap_or_else(|config_errors| panic!("{config_errors}: {changed}"));
            let added = config.channels.last().unwrap();
            assert_eq!((added.name.as_str(), added.base_url.as_str()), ("b \"x\"", "https://b.example/v1"));
            assert_eq!(without_channel(&changed, "b \"x\"").unwrap().unwrap().trim_end(), text.trim_end());
        }
    }

    #[test]
    fn the_last_line_is_kept_beside_what_is_there() {
        let read = |text: &str| Config::parse("config.toml", text).expect("a configuration").screen.footer;
        for text in ["", FILE, "[ui]\nfooter = \"off\"  # calm\n", "ui = { ascii = true }\n"] {
            for footer in Footer::ALL {
                let (word, changed) = (footer.word(), with_footer(text, footer).expect("a configuration"));
                assert_eq!(read(&changed), footer, "{changed}");
                let same = |text: &&str| {
                    changed.contains(*text) || text.contains("footer") || text.starts_with("ui")
                };
                assert!(text.lines().all(|line| same(&line)), "{changed}");
                assert!(
                    !text.contains("# calm") || changed.contains(&format!("\"{word}\"  # calm")),
                    "{changed}"
                );
            }
        }
        assert!(with_footer("ui = 1", Footer::Off).is_err());
    }

    #[test]
    fn changing_and_removing() {
        let changed = with_channel(FILE, &entry("a", None)).unwrap();
        assert!(changed.contains("# mine") && !changed.contains("key_env"), "{changed}");
        assert_eq!(Config::parse("f", &changed).unwrap().channels.len(), 1);
        let without = without_channel(FILE, "a").unwrap().unwrap();
        assert!(without.contains("ascii = true # yes") && !without.contains("https://a"), "{without}");
        assert_eq!(without_channel(FILE, "c").unwrap(), None);
        assert!(with_channel("channel = 1", &entry("a", None)).is_err());
        assert!(with_channel("[", &entry("a", None)).is_err());
    }
}
