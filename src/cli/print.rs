//! Prints conversations and messages as lines; their JSON is the store's.
//!
//! Text by customers is safe text in lines and escaped in JSON.

use std::fmt::Display;
use std::io::{self, Write};

use anyhow::{Context, Result};
use model::conversations::ConversationRow;
use model::json;
use model::messages::Message;
use model::service_window::window_label;
use model::text::SafeText;
use model::time::{Timestamp, Zone, format_short_span};
use serde_json::Value;
use store::transcript;
use thiserror::Error;

pub use store::transcript::{message_json, sender_word, speaker_name};

/// Standard output failed. A separate type, since a broken pipe to a server does not mean that the reader has
/// seen enough.
#[derive(Debug, Error)]
#[error("could not write the output: {0}")]
struct StdoutError(io::Error);

pub fn line(text: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "{text}").map_err(StdoutError)?)
}

/// Says on standard error that a list for people is empty; standard output stays empty.
pub fn empty(is_empty: bool, what: &str) {
    if is_empty {
        // If standard error fails, the empty output remains.
        let _ = writeln!(io::stderr(), "no {what}");
    }
}

/// Warns on standard error about what is done anyway.
pub fn warn(words: &str) {
    // If standard error fails, the exit code remains.
    let _ = writeln!(io::stderr(), "frontdesk: {words}");
}

/// Writes JSON to standard output in one line, without characters that act on a terminal.
pub fn json(value: &Value) -> Result<()> {
    line(&json::escape_invisible(&value.to_string()))
}

/// Formats a count with its noun, in the plural unless it is 1.
pub fn count(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Writes gathered items as JSON if wanted, even if a part failed.
pub fn list(is_json: bool, items: Vec<Value>, gathered: Result<()>) -> Result<()> {
    let is_nothing = items.is_empty() && gathered.is_err();
    if is_json && !is_nothing {
        json(&Value::Array(items))?;
    }
    gathered
}

/// Writes bytes to standard output.
pub fn page(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout();
    Ok(out.write_all(bytes).and_then(|()| out.flush()).map_err(StdoutError)?)
}

/// Writes the help or the version to standard output, in the colours of a terminal.
pub fn help(help: &clap::Error) -> Result<()> {
    Ok(help.print().and_then(|()| io::stdout().flush()).map_err(StdoutError)?)
}

/// Writes errors to standard error, one object a line.
pub fn errors(all: &[Value]) {
    for error in all {
        // If standard error fails, the exit code remains.
        let _ = writeln!(io::stderr(), "{}", json::escape_invisible(&error.to_string()));
    }
}

/// True if the error only means that the reader of standard output has gone, as `head` does.
pub fn is_reader_closed(error: &anyhow::Error) -> bool {
    let unwritten = error.chain().find_map(|error| error.downcast_ref::<StdoutError>());
    unwritten.is_some_and(|unwritten| unwritten.0.kind() == io::ErrorKind::BrokenPipe)
}

/// True if standard output cannot be written, for any reason.
pub fn is_output_lost(error: &anyhow::Error) -> bool {
    error.chain().any(|error| error.is::<StdoutError>())
}

/// Writes a progress line to standard error.
pub fn print_progress(text: &str) -> Result<()> {
    writeln!(io::stderr(), "{text}").context("could not print the progress")
}

/// Joins a multi-line error into one line and removes repeated parts.
pub fn without_repetition(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|text| !text.is_empty()) {
        let mut parts: Vec<&str> = line.split(": ").collect();
        for length in (1..=parts.len() / 2).rev() {
            let mut at = 0;
            while at + 2 * length <= parts.len() {
                if parts[at..at + length] == parts[at + length..at + 2 * length] {
                    parts.drain(at..at + length);
                } else {
                    at += 1;
                }
            }
        }
        let line = parts.join(": ");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("; ").replace(":; ", ": ")
}

/// Joins columns with tabs; tabs, line breaks and control characters inside them are replaced.
pub fn columns(all: &[impl AsRef<str>]) -> String {
    let safe: Vec<String> = all.iter().map(|text| SafeText::line(text.as_ref()).to_string()).collect();
    safe.join("\t")
}

/// Conversation as JSON; `test` is true if nothing is really sent on its channel.
pub fn conversation_json(channel: &str, test: bool, row: &ConversationRow) -> Value {
    let mut item = transcript::conversation_json(channel, row);
    item["test"] = test.into();
    item
}

/// Marks an item of an incomplete list.
pub fn mark_incomplete(mut item: Value) -> Value {
    item["listIsWhole"] = false.into();
    item
}

pub fn conversation_line(channel: &str, row: &ConversationRow, now: Timestamp) -> String {
    let conversation = &row.conversation;
    let waits = row.waiting_since.map_or_else(|| "-".to_owned(), |at| format_short_span(now.since(at)));
    let window = window_label(conversation.window, row.last_inbound_at, now);
    columns(&[
        conversation.id.as_str().to_owned(),
        channel.to_owned(),
        conversation.title().to_string(),
        conversation.address.as_deref().map_or_else(|| "-".to_owned(), str::to_owned),
        if row.is_failing() { "AI failing" } else { conversation.automation.label() }.to_owned(),
        if window.is_empty() { "-".to_owned() } else { window },
        waits,
        conversation.preview.to_string(),
    ])
}

/// Message as one line of columns, with its time in `zone`.
pub fn message_line(message: &Message, zone: &Zone) -> String {
    let at = message.created_at.map_or_else(|| "-".to_owned(), |at| at.local_timestamp(zone));
    let content = &message.content;
    let media = message.describe_media();
    columns(&[
        message.id.as_str().to_owned(),
        at,
        speaker_name(&message.sender, message.agent.as_ref()),
        message.delivery.word().to_owned(),
        format!("{content}{media}"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::text::oracle::{acting_chars, first_acting};

    #[test]
    fn no_column_holds_what_a_terminal_acts_on() {
        for character in acting_chars() {
            let line = columns(&[format!("a{character}b"), "c".to_owned()]);
            assert_eq!(first_acting(&line, &['\t']), None, "U+{:04X}", u32::from(character));
            assert_eq!(line.matches('\t').count(), 1, "U+{:04X} makes no column", u32::from(character));
        }
    }

    #[test]
    fn an_error_is_one_line_and_says_nothing_twice() {
        let cases = [
            ("a: b", "a: b"),
            ("reading x: reading x: no such file", "reading x: no such file"),
            ("a: b: a: b: c", "a: b: c"),
            ("first\n  second\n\nfirst\n", "first; second"),
            ("config.toml, line 3: theme: unknown", "config.toml, line 3: theme: unknown"),
        ];
        for (text, said) in cases {
            assert_eq!(without_repetition(text), said, "{text}");
        }
    }
}
