//! Letters and what they leave: the text, with the cursor as a bar.

use crate::components::text_buffer::Sheet;
use crate::features::vim::{Vim, VimMode};

/// Presses keys on a text in which `|` is the cursor; `<` is Esc.
/// Gives the text with its cursor.
fn press(text: &str, keys: &str) -> String {
    let mut sheet = Sheet::default();
    let (before, after) = text.split_once('|').expect("a cursor");
    sheet.set_text(&format!("{before}{after}"));
    let line = before.matches('\n').count();
    sheet.move_to(line, before.rsplit('\n').next().unwrap_or("").chars().count());
    let mut vim = Vim { mode: VimMode::Normal, ..Vim::default() };
    for it in keys.chars() {
        match (it, vim.mode()) {
            ('<', _) => {
                vim.step_back(&mut sheet);
            }
            (it, VimMode::Insert) => sheet.insert(it),
            (it, _) => vim.letter(it, &mut sheet),
        }
    }
    let (line, character) = sheet.cursor();
    let lines: Vec<String> = sheet.text().split('\n').map(str::to_owned).collect();
    let at = lines[line].char_indices().nth(character).map_or(lines[line].len(), |pair| pair.0);
    let mut shown = lines.clone();
    shown[line].insert(at, '|');
    shown.join("\n")
}

#[test]
fn letters_move() {
    let cases = [
        ("one tw|o three", "h", "one t|wo three"),
        ("one tw|o three", "5h", "o|ne two three"),
        ("|one two", "l", "o|ne two"),
        ("one tw|o", "l", "one tw|o"),
        ("|one, two", "w", "one|, two"),
        ("|one, two", "W", "one, |two"),
        ("one two thr|ee", "2b", "one |two three"),
        ("|one two", "e", "on|e two"),
        ("one t|wo", "0", "|one two"),
        ("  one t|wo", "^", "  |one two"),
        ("|one two", "$", "one tw|o"),
        ("one\nt|wo\nthree", "gg", "|one\ntwo\nthree"),
        ("o|ne\ntwo\nthree", "G", "one\ntwo\n|three"),
        ("o|ne\ntwo\nthree", "2G", "one\n|two\nthree"),
        ("one t|wo", "k", "one t|wo"),
        ("one t|wo\nx\nthree", "j", "one two\n|x\nthree"),
        ("|one, two", "fw", "one, t|wo"),
        ("|one, two", "tw", "one, |two"),
        ("one, tw|o", "Fn", "o|ne, two"),
        ("a👨‍👩‍👧‍👦|b", "h", "a|👨‍👩‍👧‍👦b"),
    ];
    for (text, keys, expected) in cases {
        assert_eq!(press(text, keys), expected, "{text:?} {keys}");
    }
}

#[test]
fn letters_change() {
    let cases = [
        ("one |two three", "dw", "one |three"),
        ("one |two three", "cwx<", "one |x three"),
        ("one t|wo three", "diw", "one | three"),
        ("one t|wo three", "daw", "one |three"),
        ("one t|wo three", "ciwsix<", "one si|x three"),
        ("one |two three", "d$", "one| "),
        ("one |two three", "D", "one| "),
        ("one |two three", "Cend<", "one en|d"),
        ("|one two", "x", "|ne two"),
        ("a|👨‍👩‍👧‍👦b", "x", "a|b"),
        ("one tw|o", "x", "one t|w"),
        ("one|, two", "X", "on|, two"),
        ("one |two three four", "d2w", "one |four"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("one\nt|wo\nthree", "dd", "one\n|three"),
        ("one\nt|wo", "dd", "|one"),
        ("on|e\ntwo\nthree", "2dd", "|three"),
        ("on|e\ntwo\nthree", "dj", "|three"),
        ("one\nt|wo", "ccx<", "one\n|x"),
        ("one\nt|wo", "yyp", "one\ntwo\n|two"),
        ("one\nt|wo", "ddP", "|two\none"),
        ("|one two", "dwp", "tone| wo"),
        ("|ab", "xp", "b|a"),
        ("|one", "rx", "|xne"),
        ("|One", "~", "o|ne"),
        ("o|ne\n  two", "J", "one| two"),
        ("o|ne", "ithe <", "othe| ne"),
        ("o|ne", "Athe<", "oneth|e"),
        ("o|ne", "Ithe<", "th|eone"),
        ("o|ne\ntwo", "ox<", "one\n|x\ntwo"),
        ("one\nt|wo", "Ox<", "one\n|x\ntwo"),
        ("|one two", "dwu", "|one two"),
        ("one |two zebras", "dwu", "one |two zebras"),
        ("o|ne two", "vllx", "o|two"),
        ("o|ne two", "vbd", "|e two"),
        ("one t|wo", "viwcx<", "one |x"),
        ("|one two", "vey$p", "one twoon|e"),
        ("one |two", "dq", "one |two"),
        ("|one two", "d<x", "|ne two"),
    ];
    for (text, keys, expected) in cases {
        assert_eq!(press(text, keys), expected, "{text:?} {keys}");
    }
}

#[test]
fn the_word_says_what_is_half_typed() {
    let mut sheet = Sheet::default();
    let mut vim = Vim::default();
    assert_eq!(vim.word(), "INSERT");
    assert!(vim.step_back(&mut sheet));
    assert_eq!(vim.word(), "NORMAL");
    vim.letter('2', &mut sheet);
    vim.letter('d', &mut sheet);
    assert_eq!(vim.word(), "NORMAL 2d");
    assert!(vim.step_back(&mut sheet));
    assert_eq!(vim.word(), "NORMAL");
    assert!(!vim.step_back(&mut sheet), "Esc leaves the composer then");
}
