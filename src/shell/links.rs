//! Terminal hyperlinks (OSC 8) around the cells of addresses.

use ratatui::buffer::{Buffer, CellDiffOption};

use inbox::screens::history::links_view::LinkedCells;

/// First tmux version that forwards hyperlinks.
const MIN_TMUX_VERSION: (u32, u32) = (3, 4);
/// First VTE version that supports hyperlinks; earlier ones show garbage.
const MIN_VTE_VERSION: u32 = 5000;

model::words! {
    /// Use of terminal hyperlinks for addresses.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum LinkMode {
        /// Unless this terminal is known not to take them.
        #[default]
        Auto = "auto",
        On = "on",
        Off = "off",
    }
}

impl LinkMode {
    /// Decides for this terminal from its environment variables.
    pub fn resolve(self, variable: impl Fn(&str) -> Option<String>) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
            Self::Auto => has_link_support(variable),
        }
    }
}

/// False for terminals that show garbage or cannot follow links. Others without support show the text alone.
fn has_link_support(variable: impl Fn(&str) -> Option<String>) -> bool {
    let named = |text: &str| variable(text).unwrap_or_default();
    let (term, program) = (named("TERM"), named("TERM_PROGRAM"));
    if !named("TMUX").is_empty() {
        let version = named("TERM_PROGRAM_VERSION");
        return program == "tmux"
            && parse_version(&version).is_some_and(|version| version >= MIN_TMUX_VERSION);
    }
    let plain = ["", "dumb", "linux", "cons25"].contains(&term.as_str())
        || ["vt", "screen", "rxvt", "Eterm", "eterm", "sun"].iter().any(|text| term.starts_with(text));
    let old = named("VTE_VERSION").parse().is_ok_and(|number: u32| number < MIN_VTE_VERSION);
    !plain && !old && program != "Apple_Terminal" && named("INSIDE_EMACS").is_empty()
}

/// First two numbers of a version such as `3.4a`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|text: char| !text.is_ascii_digit()).filter(|part| !part.is_empty());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Marks cells whose link changed, so that they are drawn again.
pub fn mark_changed_links(before: &mut Buffer, old: &[LinkedCells], new: &[LinkedCells]) {
    let gone = old.iter().filter(|linked_cells| !new.contains(linked_cells));
    for linked in gone.chain(new.iter().filter(|linked_cells| !old.contains(linked_cells))) {
        let (x, y) = linked.at;
        for x in x..x.saturating_add(linked.cells) {
            if let Some(cell) = before.cell_mut((x, y)) {
                // Forces the cell to count as changed.
                cell.diff_option = CellDiffOption::AlwaysUpdate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;
    use crate::shell::frames;

    #[test]
    fn terminals_that_break_have_none() {
        let cases: [(&[(&str, &str)], bool); 13] = [
            (&[("TERM", "xterm-256color")], true),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7402")], true),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "4800")], false),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal")], false),
            (&[("TERM", "linux")], false),
            (&[("TERM", "dumb")], false),
            (&[("TERM", "vt220")], false),
            (&[("TERM", "screen.xterm-256color")], false),
            (
                &[
                    ("TERM", "screen-256color"),
                    ("TMUX", "/x,1,0"),
                    ("TERM_PROGRAM", "tmux"),
                    ("TERM_PROGRAM_VERSION", "3.4"),
                ],
                true,
            ),
            (
                &[
                    ("TERM", "tmux-256color"),
                    ("TMUX", "/x,1,0"),
                    ("TERM_PROGRAM", "tmux"),
                    ("TERM_PROGRAM_VERSION", "3.3a"),
                ],
                false,
            ),
            (&[("TERM", "tmux-256color"), ("TMUX", "/x,1,0")], false),
            (&[], false),
        ];
        for (variables, takes) in cases {
            let variable = |name: &str| {
                variables.iter().find(|variable| variable.0 == name).map(|variable| variable.1.to_owned())
            };
            assert_eq!(LinkMode::Auto.resolve(variable), takes, "{variables:?}");
            assert!(LinkMode::On.resolve(variable) && !LinkMode::Off.resolve(variable));
        }
    }

    fn frame(text: &str) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_string(0, 0, text, Style::new());
        buffer
    }

    fn link(at: u16, cells: u16, target: &str) -> LinkedCells {
        LinkedCells { at: (at, 0), cells, target: target.to_owned(), id: 1 }
    }

    /// Output for the change between two frames, without cursor and colour sequences.
    fn written(before: (&str, &[LinkedCells]), after: (&str, &[LinkedCells])) -> String {
        let mut bytes = Vec::new();
        let (mut old, new) = (frame(before.0), frame(after.0));
        frames::write_changes(&mut bytes, (&mut old, before.1), (&new, after.1))
            .expect("a vector takes every byte");
        let bytes = String::from_utf8(bytes).expect("text");
        let mut rest = bytes.as_str();
        let mut out = String::new();
        while let Some((before, after)) = rest.split_once("\x1b[") {
            out.push_str(before);
            rest =
                after.split_once(|character: char| character.is_ascii_alphabetic()).map_or("", |pair| pair.1);
        }
        out + rest
    }

    #[test]
    fn only_the_cells_of_an_address_are_linked_and_only_when_they_change() {
        let url = "http://a.b";
        let linked = [link(2, 3, url)];
        let opened = |words: &str| format!("\x1b]8;id=1;{url}\x1b\\{words}\x1b]8;;\x1b\\");
        type Frame<'a> = (&'a str, &'a [LinkedCells]);
        let cases: [(Frame<'_>, Frame<'_>, String); 7] = [
            (("", &[]), ("x abc y", &linked), format!("x{}y", opened("abc"))),
            (("x abc y", &linked), ("x abc z", &linked), "z".to_owned()),
            (("x abc y", &linked), ("z abc y", &linked), "z".to_owned()),
            (("x abc y", &linked), ("x abd y", &linked), opened("d")),
            (("x abc y", &[]), ("x abc y", &linked), opened("abc")),
            (("x abc y", &linked), ("x abc y", &[]), "abc".to_owned()),
            (("x abc y", &linked), ("x abc y", &linked), String::new()),
        ];
        for (before, after, bytes) in cases {
            assert_eq!(written(before, after), bytes, "{before:?} {after:?}");
        }
    }
}
