//! The screen of a desk without a channel: what can be begun from here, each by
//! one key.

pub mod view;

use crate::components::list::narrowed_after;
use crate::keys::{KeyCode, KeyPress};
use model::text::SafeText;

/// What a person begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStep {
    /// The sample workspace.
    Demo,
    /// The same with its exercise.
    Tutor,
    AddChannel,
    /// Nothing.
    Quit,
}

/// A line of the menu.
#[derive(Debug)]
pub struct StepRow {
    pub step: FirstStep,
    pub key: char,
    pub name: &'static str,
    /// What it is, for a newcomer.
    pub doc: &'static str,
}

/// The menu.
pub const STEPS: [StepRow; 4] = [
    StepRow {
        step: FirstStep::Demo,
        key: 'd',
        name: "Look around",
        doc: "The demo: a bicycle shop whose customers write by themselves, and an AI that sometimes fails. \
              Needs no key and no network; nothing you do there reaches anybody.",
    },
    StepRow {
        step: FirstStep::Tutor,
        key: 't',
        name: "Learn the keys",
        doc: "The same with a tutor, which says eight keys one after the other, each when it is needed.",
    },
    StepRow {
        step: FirstStep::AddChannel,
        key: 'a',
        name: "Add a channel",
        doc: "Asks for a name, the address of the service and a channel key, checks the key with the server, \
              and opens the inbox. The same as `frontdesk channel add`.",
    },
    StepRow { step: FirstStep::Quit, key: 'q', name: "Quit", doc: "" },
];

/// What the screen knows.
#[derive(Debug)]
pub struct FirstRun {
    /// The file that has no channel.
    pub config: SafeText,
    /// The line that Enter begins.
    pub chosen: usize,
    /// Why what was begun did not come to an end.
    pub said: Option<String>,
}

impl FirstRun {
    /// Of a desk whose configuration is this file.
    pub fn new(config: &str) -> Self {
        Self { config: SafeText::line(config), chosen: 0, said: None }
    }

    /// What a key begins, if it begins something.
    pub fn key(&mut self, key: KeyPress) -> Option<FirstStep> {
        if let Some(moved) = narrowed_after(key, self.chosen, STEPS.len(), STEPS.len()) {
            self.chosen = moved;
            return None;
        }
        let last = STEPS.len() - 1;
        match key.code {
            KeyCode::Char('c' | 'd') if key.ctrl => return Some(FirstStep::Quit),
            KeyCode::Esc => return Some(FirstStep::Quit),
            KeyCode::Enter => return Some(STEPS[self.chosen].step),
            KeyCode::Char('j') => self.chosen = (self.chosen + 1).min(last),
            KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            _ => {
                let letter = key.typed()?;
                match STEPS.iter().find(|step| step.key == letter) {
                    Some(row) => return Some(row.step),
                    None => self.said = Some(format!("{key} is not a key here")),
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_begins_by_its_letter_and_by_enter() {
        let press = |screen: &mut FirstRun, keys: &str| {
            keys.split(' ').filter_map(|part| screen.key(KeyPress::parse(part).expect("a key"))).last()
        };
        let cases = [
            ("d", Some(FirstStep::Demo)),
            ("Enter", Some(FirstStep::Demo)),
            ("t", Some(FirstStep::Tutor)),
            ("j Enter", Some(FirstStep::Tutor)),
            ("a", Some(FirstStep::AddChannel)),
            ("Down Down Enter", Some(FirstStep::AddChannel)),
            ("j j j j j Up k Enter", Some(FirstStep::Tutor)),
            ("q", Some(FirstStep::Quit)),
            ("Esc", Some(FirstStep::Quit)),
            ("Ctrl-C", Some(FirstStep::Quit)),
            ("x", None),
            ("Ctrl-A", None),
        ];
        for (keys, step) in cases {
            assert_eq!(press(&mut FirstRun::new("config.toml"), keys), step, "{keys}");
        }
    }
}
