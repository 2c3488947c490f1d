//! A short exercise for the first minutes: one key after the other, each done
//! on the demo's own customers, and said in the line of hints until it is.
//!
//! It only sees that it was pressed.

use crate::command::Command;
use crate::context::Context;
use crate::keyboard::Keyboard;
use crate::settings::Footer;

/// What is to be pressed, and why.
const STEPS: [(Command, &str); 8] = [
    (Command::MostUrgent, "goes to who needs someone most"),
    (Command::Open, "opens the conversation"),
    (Command::PauseAi, "pauses the AI: you take over"),
    (Command::Reply, "begins an answer; type a line"),
    (Command::Send, "sends it, held for 5 s"),
    (Command::Leave, "leaves the text"),
    (Command::HandBack, "hands the conversation back to the AI"),
    (Command::Help, "shows every key of this place"),
];

impl Keyboard {
    /// Begins the exercise, or ends it.
    pub(crate) fn tutor(&mut self, context: &mut Context) -> Result<(), String> {
        if !context.settings.demo {
            return Err("customers of your own are no exercise: `frontdesk demo`, then :tutor".to_owned());
        }
        self.knows_tutor = true;
        match self.tutor.take() {
            Some(_) => context.say("the exercise has ended; :tutor begins it anew"),
            None => {
                self.tutor = Some(0);
                if context.settings.footer == Footer::Off {
                    context.settings.footer = Footer::Three;
                }
            }
        }
        Ok(())
    }

    /// Whether the last line offers the exercise: in the demo, until it has
    /// begun once.
    pub(crate) fn offers_tutor(&self, context: &Context) -> bool {
        context.settings.demo && !self.knows_tutor
    }

    /// What the exercise says now.
    pub fn tutor_line(&self, context: &Context) -> Option<String> {
        let step = self.tutor.filter(|_| context.layers.last().is_none_or(|layer| layer.is_question()))?;
        let (command, words) = STEPS.get(step)?;
        let key = context.settings.keymap.first(*command);
        Some(format!("Tutor {}/{} · {key} {words} · :tutor ends", step + 1, STEPS.len()))
    }

    /// A command was done: the exercise goes on if it was the one it waits
    /// for. What a later step asks for counts for those before it too.
    pub(crate) fn tutor_saw(&mut self, command: Command, context: &mut Context) {
        let Some(step) = self.tutor else { return };
        // Where a key brings one past a step, the step is not missed.
        let ahead = STEPS.iter().skip(step).take(2).position(|step| step.0 == command);
        let Some(done) = ahead.map(|ahead| step + ahead + 1) else { return };
        self.tutor = (done < STEPS.len()).then_some(done);
        if done == STEPS.len() {
            context.say("that was the exercise: the palette finds everything else");
        }
    }
}
