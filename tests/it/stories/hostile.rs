//! Hostile text is only text: four groups of the corpus go through a conversation to the terminal.

use ratatui::backend::{Backend, CrosstermBackend};
use serde_json::Value;

use crate::desk::{Desk, direct};

const GROUPS: [&str; 4] = ["terminal-escape", "control-char", "bidi-invisible", "zero-width"];

fn corpus() -> Vec<(String, String)> {
    let text = include_str!("../../hostile.jsonl");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of the corpus"));
    let wanted = rows.filter(|row| GROUPS.contains(&row["group"].as_str().unwrap_or("")));
    let pick = |value: &Value, field: &str| value[field].as_str().expect("text").to_owned();
    wanted.map(|value| (pick(&value, "name"), pick(&value, "input_or_description"))).collect()
}

fn bytes_of(desk: &Desk) -> Vec<u8> {
    let buffer = desk.buffer();
    let mut bytes = Vec::new();
    let mut backend = CrosstermBackend::new(&mut bytes);
    let cells = buffer.content.iter().enumerate().map(|(index, cell)| {
        let (x, y) = buffer.pos_of(index);
        (x, y, cell)
    });
    backend.draw(cells).expect("a vector takes every byte");
    Backend::flush(&mut backend).expect("a vector takes every byte");
    bytes
}

/// The text between the desk's own sequences: cursor moves and styles.
fn text_between(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after.find(|character: char| character.is_ascii_alphabetic()).expect("a final byte");
        let (parameters, last) = (&after[..end], &after[end..=end]);
        let ours = parameters.chars().all(|character| character.is_ascii_digit() || character == ';')
            && matches!(last, "m" | "H");
        assert!(ours, "a sequence that is not ours: ESC[{parameters}{last}");
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    out
}

/// True if a character may act on a terminal.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character), 0x061c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0x00ad | 0xfff9..=0xfffb | 0xe0000..=0xe0fff)
}

#[test]
fn the_corpus_reaches_no_terminal_raw() {
    let corpus = corpus();
    assert!(corpus.len() > 80, "the corpus has lost lines");
    let mut desk = Desk::with(120, 40, direct);
    for (index, (_, input)) in corpus.iter().enumerate() {
        let phone = format!("+3460000{index:04}");
        // As a message, and as the customer's own name.
        desk.customer("whatsapp", &phone, input, input);
    }
    desk.settle();
    desk.keys("gg");
    for (name, _) in &corpus {
        for screen in ["list", "history", "raw"] {
            match screen {
                "history" => drop(desk.keys("<Enter>")),
                "raw" => drop(desk.keys("=")),
                _ => (),
            }
            let text = text_between(&bytes_of(&desk));
            let bad: Vec<char> = text.chars().filter(|character| acts(*character)).collect();
            assert!(bad.is_empty(), "{name} on the {screen}: {bad:?}");
        }
        desk.keys("<Esc><Esc>j");
    }
}

#[test]
fn what_was_hidden_is_shown() {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", "+34600111222", "Maria\u{202e}zepoL", "pay \u{1b}[8m1000\u{1b}[0m now\rno");
    desk.settle().keys("<Enter>").shows("␛[8m1000␛[0m now").shows("Maria<U+202E>zepoL");
    photographs!(desk, "what_was_hidden_is_shown", List, History);
}
