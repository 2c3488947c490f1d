//! Pastes on terminals that do not mark them: what comes all at once, with a
//! line break inside, was not typed by a person.

use inbox::event::Event;
use inbox::keys::KeyCode;

/// Keys that come at once before they can be a paste: a slow line lumps fewer
/// together.
const FEW: usize = 12;
/// Terminals that are known not to mark pastes.
const UNMARKED: [&str; 8] = ["linux", "vt100", "vt102", "vt220", "vt320", "ansi", "cons25", "sun"];

/// Whether a terminal of this name does not mark pastes.
pub fn is_unmarked(term: &str) -> bool {
    UNMARKED.contains(&term.split('-').next().unwrap_or_default())
}

/// Events that came at once, with a paste among them as one.
pub fn join(events: Vec<Event>) -> Vec<Event> {
    let typed: Option<String> = events.iter().map(typed).collect();
    match typed {
        Some(text) if events.len() >= FEW && text.trim_end_matches('\n').contains('\n') => {
            vec![Event::Paste(text)]
        }
        _ => events,
    }
}

/// The character a key would be in a paste.
fn typed(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    match key.code {
        KeyCode::Enter if !key.ctrl && !key.alt => Some('\n'),
        // A line break of a paste comes as Ctrl-J from some.
        KeyCode::Char('j') if key.ctrl => Some('\n'),
        KeyCode::Tab => Some('\t'),
        _ => key.typed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inbox::keys::KeyPress;

    fn keys(text: &str) -> Vec<Event> {
        let key = |it| if it == '\n' { KeyCode::Enter } else { KeyCode::Char(it) };
        text.chars().map(|it| Event::Key(KeyPress::plain(key(it)))).collect()
    }

    #[test]
    fn many_keys_with_a_line_break_inside_are_a_paste() {
        for (text, paste) in [
            ("Your order\nis on its way", true),
            ("Your order is on its way\n", false),
            ("Your order is on its way", false),
            ("ok\nj", false),
            ("one\ntwo\nthree\n", true),
        ] {
            let joined = join(keys(text));
            assert_eq!(joined == [Event::Paste(text.to_owned())], paste, "{text:?}");
            assert!(paste || joined == keys(text), "{text:?}");
        }
        let mut with_others = keys("Your order\nis on its way");
        with_others.push(Event::Key(KeyPress::plain(KeyCode::Esc)));
        assert_eq!(join(with_others.clone()), with_others);
    }

    #[test]
    fn only_terminals_that_are_known_not_to_mark_pastes_are_watched() {
        for (term, unmarked) in [
            ("linux", true),
            ("vt220", true),
            ("linux-16color", true),
            ("xterm-256color", false),
            ("", false),
        ] {
            assert_eq!(is_unmarked(term), unmarked, "{term}");
        }
    }
}
