//! The screen of a desk without a channel: first steps, each by one key.

pub mod view;

use crate::components::list::filtered_selection_after_key;
use crate::keys::{KeyCode, KeyPress};
use model::text::SafeText;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStep {
    Demo,
    /// The sample workspace with the tutor.
    Tutor,
    AddChannel,
    Quit,
}

#[derive(Debug)]
pub struct StepRow {
    pub step: FirstStep,
    pub key: char,
    pub name: &'static str,
    /// Description for a newcomer.
    pub doc: &'static str,
}

pub const FIRST_STEPS: [StepRow; 4] = [
    StepRow {
        step: FirstStep::Demo,
        key: 'd',
        name: "Look around",
        doc: "The demo: a bicycle shop with simulated customers and an AI that sometimes fails. Needs no key \
              and no network; nothing is sent to real people.",
    },
    StepRow {
        step: FirstStep::Tutor,
        key: 't',
        name: "Learn the keys",
        doc: "The demo with a tutor for the first ten keys: take, reply, undo, done, later, search.",
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

#[derive(Debug)]
pub struct FirstRun {
    pub config: SafeText,
    pub chosen: usize,
    pub message: Option<String>,
}

impl FirstRun {
    pub fn new(config: &str) -> Self {
        Self { config: SafeText::line(config), chosen: 0, message: None }
    }

    pub fn key(&mut self, key: KeyPress) -> Option<FirstStep> {
        if let Some(moved) =
            filtered_selection_after_key(key, self.chosen, FIRST_STEPS.len(), FIRST_STEPS.len())
        {
            self.chosen = moved;
            return None;
        }
        let last = FIRST_STEPS.len() - 1;
        match key.code {
            KeyCode::Char('c' | 'd') if key.ctrl => return Some(FirstStep::Quit),
            KeyCode::Esc => return Some(FirstStep::Quit),
            KeyCode::Enter => return Some(FIRST_STEPS[self.chosen].step),
            KeyCode::Char('j') => self.chosen = (self.chosen + 1).min(last),
            KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            _ => {
                let letter = key.typed()?;
                match FIRST_STEPS.iter().find(|step| step.key == letter) {
                    Some(row) => return Some(row.step),
                    None => self.message = Some(format!("{key} is not a key here")),
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
