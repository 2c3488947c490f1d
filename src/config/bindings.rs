//! The `[keys]` table: command names with the key, or list of keys, that replaces their own. Reports all
//! mistakes at once.

use crate::config::Mistakes;
use crate::config::reading::Section;
use inbox::command;
use inbox::command::{Command, CommandScope, TABLE};
use inbox::keymap::{KeyClash, KeyMap, Sequence, final_digit, sequence_name};
use inbox::keys::{KeyCode, KeyPress};
use model::nearest::nearest_word;

/// Names of keys without a character.
const KEY_NAMES: &str = "Enter, Esc, Tab, Shift-Tab, Space, Backspace, Delete, Up, Down, Left, Right, Home, End, PgUp, \
                     PgDn, F1 to F12";
/// Keys that terminals send for control characters.
const CONTROL_KEY_ALIASES: [(char, &str); 4] =
    [('i', "Tab"), ('m', "Enter"), ('[', "Esc"), ('h', "Backspace")];
/// Commands that must keep a key, since there would be no way out without them.
const REQUIRED_COMMANDS: [Command; 2] = [Command::Leave, Command::Interrupt];

/// Reads the table; a mistaken entry keeps the command's default keys.
pub(crate) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> KeyMap {
    let mut keymap = KeyMap::default();
    let (mut chosen, mut found) = (Vec::new(), Vec::new());
    for name in section.names() {
        let Some(command) = command::find_by_name(name) else {
            found.push((name, unknown(name)));
            continue;
        };
        match sequences(section, name, command) {
            Ok(keys) => {
                keymap.bind(command, keys);
                chosen.push((command, name));
            }
            Err(problems) => found.extend(problems.into_iter().map(|problem| (name, problem))),
        }
    }
    let named = |command| chosen.iter().find(|pair| pair.0 == command).map(|pair| pair.1);
    let all = keymap.clashes();
    // All clashes of one key's prefix are reported in one sentence.
    for group in
        all.chunk_by(|one, next| one.longer.is_some() && one.keys == next.keys && one.one == next.one)
    {
        // One of the two was configured: the default keys never clash.
        let whose = group.iter().find_map(|clash| named(clash.one).or_else(|| named(clash.other)));
        found.push((whose.unwrap_or(""), describe_clashes(group, |command| named(command).is_some())));
    }
    let order = section.names();
    found.sort_by_key(|(name, _)| order.iter().position(|text| text == name));
    mistakes.all(found.iter().map(|(name, problem)| section.error(name, problem)).collect());
    keymap
}

fn unknown(name: &str) -> String {
    let names: Vec<String> = TABLE.iter().map(|command_row| command::name(command_row.command)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = match nearest_word(name, &names) {
        Some(near) => format!("did you mean {near}?"),
        None => "the palette and `frontdesk man` name all commands".to_owned(),
    };
    format!("[keys] {name} is not a command; {hint}")
}

fn describe_clashes(clashes: &[KeyClash], is_chosen: impl Fn(Command) -> bool) -> String {
    let Some(first) = clashes.first() else { return String::new() };
    let whose = |command| {
        let own = if is_chosen(command) { "" } else { " (default key)" };
        format!("{}{own}", command::name(command))
    };
    let (keys, one) = (sequence_name(&first.keys), whose(first.one));
    let longer: Vec<String> = clashes
        .iter()
        .filter_map(|clash| {
            Some(format!("{}, {}", sequence_name(clash.longer.as_ref()?), whose(clash.other)))
        })
        .collect();
    match longer.as_slice() {
        [] => format!("[keys] {keys} is both {one} and {}; give one of them another key", whose(first.other)),
        longer => format!(
            "[keys] {keys} is {one}, so longer keys that begin with it cannot be pressed: {}; give one of them \
             another key",
            longer.join("; ")
        ),
    }
}

fn sequences(section: &Section<'_>, name: &str, command: Command) -> Result<Vec<Sequence>, Vec<String>> {
    let written =
        section.string_or_strings(name).map_err(|error| vec![format!("[keys] {}", error.problem)])?;
    let (mut keys, mut problems) = (Vec::new(), Vec::new());
    for text in &written {
        match sequence(text, command) {
            Ok(sequence) if keys.contains(&sequence) => (),
            Ok(sequence) => keys.push(sequence),
            Err(why) => problems.push(format!("[keys] {name} = {text:?}: {why}")),
        }
    }
    if written.is_empty() && REQUIRED_COMMANDS.contains(&command) {
        problems.push(format!("[keys] {name} needs a key: without it you could not leave"));
    }
    if problems.is_empty() { Ok(keys) } else { Err(problems) }
}

/// Parses one sequence, or returns the reason it can never be pressed.
fn sequence(written: &str, command: Command) -> Result<Sequence, String> {
    let keys =
        written.split(' ').filter(|part| !part.is_empty()).map(key).collect::<Result<Sequence, _>>()?;
    let place = command::row(command).place;
    match keys.as_slice() {
        [] => Err("no key given; write [] to remove all keys".to_owned()),
        [key] if place == CommandScope::Composer && key.typed().is_some() => {
            Err("this key types a character; choose one with Ctrl or Alt, or F1 to F12".to_owned())
        }
        [_, _, ..] if place == CommandScope::Composer => {
            Err("commands for typing need a single key".to_owned())
        }
        _ if command == Command::GoToTab && final_digit(&keys).is_none() => {
            Err("it must end in a digit, the number of the tab".to_owned())
        }
        _ => Ok(keys),
    }
}

fn key(name: &str) -> Result<KeyPress, String> {
    if let Some(character) = name.strip_prefix("Shift-").filter(|text| text.chars().count() == 1) {
        return Err(format!("Shift is part of the character: write {}", character.to_uppercase()));
    }
    let key = KeyPress::parse(name).ok_or_else(|| {
        format!(
            "{name} is not a key; write one character, optionally with Ctrl- or Alt- before it, or one of \
                 {KEY_NAMES}"
        )
    })?;
    let KeyCode::Char(character) = key.code else { return Ok(key) };
    let same = CONTROL_KEY_ALIASES.iter().find(|same| key.ctrl && same.0 == character);
    match same {
        Some((_, other)) => Err(format!("terminals send {other} for {name}; choose another key")),
        None => Ok(key),
    }
}
