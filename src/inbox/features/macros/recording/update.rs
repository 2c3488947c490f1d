//! Begins, fills and ends the recording of a macro.

use crate::Inbox;
use crate::context::Context;
use crate::event::{FileWrite, Load};
use crate::features::macros::Macros;
use crate::features::macros::playing::update as playing;
use crate::features::macros::recording::{Fixed, MOST, MacroMenu, count};
use crate::features::macros::steps;
use crate::features::macros::steps::RecordedStep;
use crate::features::undo::UndoTarget;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use model::macros::Macro;

impl Overlay for MacroMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let last = inbox.features.macros.recording.all.len().saturating_sub(1);
        let letter = inbox.features.macros.recording.all.get(self.chosen).map(|entry| entry.letter);
        let chosen = match (key.code, key.typed()) {
            (KeyCode::Esc, _) => return KeyOutcome::Done,
            (KeyCode::Down, _) => {
                self.chosen = (self.chosen + 1).min(last);
                None
            }
            (KeyCode::Up, _) => {
                self.chosen = self.chosen.saturating_sub(1);
                None
            }
            (KeyCode::Enter, _) => letter,
            (KeyCode::Delete, _) => {
                if let Some(letter) = letter.filter(|letter| !is_fixed(&mut inbox.context, *letter)) {
                    keep_macro(inbox, letter, None);
                    inbox.context.say(
                        inbox.context.keyed(&format!("deleted macro {letter} · {{undo}} brings it back")),
                    );
                }
                self.chosen = self.chosen.min(last.saturating_sub(1));
                None
            }
            (_, typed) => typed.filter(|character| character.is_alphanumeric()),
        };
        match chosen {
            Some(letter) if self.records => inbox.features.macros.begin(letter, &mut inbox.context),
            Some(letter) => playing::play_macro(inbox, letter),
            None => return KeyOutcome::Stay,
        }
        KeyOutcome::Done
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Macros)
    }
}

impl Macros {
    fn begin(&mut self, letter: char, context: &mut Context) {
        if is_fixed(context, letter) {
            return;
        }
        self.recording.under_way = Some((letter, Vec::new()));
        context.say(context.keyed(&format!("recording {letter} · {{record-macro}} ends it")));
    }

    /// Sets a macro, or none.
    pub(crate) fn set_macro(&mut self, letter: char, wanted: Option<Macro>, context: &mut Context) {
        self.recording.all.retain(|entry| entry.letter != letter);
        self.recording.all.extend(wanted.clone());
        self.recording.all.sort_by_key(|entry| entry.letter);
        context.push(FileWrite::SaveMacro(letter, wanted.map(|entry| entry.steps)));
    }

    /// A step was done by the person.
    pub(crate) fn recorded(&mut self, step: RecordedStep, context: &mut Context) {
        let recordable =
            !matches!(step, RecordedStep::Command(command, _) if !steps::can_be_recorded(command));
        self.trail(&step);
        let Some((letter, recorded)) = &mut self.recording.under_way else { return };
        let letter = *letter;
        if !recordable {
            return;
        }
        if recorded.len() < MOST {
            recorded.push(step);
        } else {
            context.warn(format!("macro {letter} is {MOST} keys long; more are not recorded"));
        }
    }

    /// A key goes to a menu or a form: it is a step, unless it answers a
    /// question or what it comes to is a step of its own.
    pub(crate) fn record_layer_key(&mut self, key: KeyPress, context: &mut Context) {
        if context.layers.last().is_some_and(|layer| layer.is_recorded()) {
            self.recorded(RecordedStep::Key(key), context);
        }
    }

    /// After each event: what was done to a conversation is whole once no menu
    /// is open any more.
    pub(crate) fn end_trail(&mut self, context: &Context) {
        if context.layers.is_empty() && !self.recording.trail.is_empty() {
            self.recording.last = std::mem::take(&mut self.recording.trail);
        }
    }

    /// Macros have been read.
    pub(crate) fn macros_known(&mut self, macros: Vec<Macro>, context: &Context) {
        let fixed: Vec<Macro> = context.settings.macros.iter().map(|fixed| fixed.macro_.clone()).collect();
        let own = macros.into_iter().filter(|own| fixed.iter().all(|entry| entry.letter != own.letter));
        self.recording.all = own.chain(fixed.clone()).collect();
        self.recording.all.sort_by_key(|entry| entry.letter);
    }

    pub(crate) fn steps_of(&self, letter: char, context: &Context) -> Result<Vec<RecordedStep>, String> {
        let found = self.recording.all.iter().find(|entry| entry.letter == letter);
        let Some(found) = found else {
            return Err(context
                .keyed(&format!("macro {letter} was never recorded; {{record-macro}} {letter} records it")));
        };
        steps::read(&found.steps).ok_or_else(|| {
            format!(
                "macro {letter} was recorded by another version and has steps unknown here; record it anew"
            )
        })
    }
}

/// Asks under which letter to record, or ends the recording.
pub(crate) fn record(inbox: &mut Inbox) {
    match inbox.features.macros.recording.under_way.take() {
        None => inbox.context.open(MacroMenu { chosen: 0, records: true }),
        Some((letter, recorded)) if recorded.is_empty() => {
            inbox.context.say(format!("nothing was done, so {letter} was not recorded"));
        }
        Some((letter, recorded)) => {
            let macro_ = Macro { letter, steps: steps::kept(&recorded) };
            inbox.context.say(inbox.context.keyed(&format!(
                "recorded {letter}: {} · {{play-macro}} {letter} plays it",
                count(steps::count(&recorded))
            )));
            keep_macro(inbox, letter, Some(macro_));
        }
    }
}

/// Keeps a macro instead of the one before it, or none, so that it can be
/// taken back.
fn keep_macro(inbox: &mut Inbox, letter: char, wanted: Option<Macro>) {
    if is_fixed(&mut inbox.context, letter) {
        return;
    }
    let before = inbox.features.macros.recording.all.iter().find(|entry| entry.letter == letter).cloned();
    let words = match (&before, &wanted) {
        (_, None) => format!("deleted macro {letter}"),
        (None, _) => format!("recorded macro {letter}"),
        (Some(_), _) => format!("recorded macro {letter} anew"),
    };
    let channel = inbox.desk.tab().channel.id.clone();
    inbox.changes.note_done(channel, &words, UndoTarget::Macro(letter, before), &inbox.context);
    inbox.features.macros.set_macro(letter, wanted, &mut inbox.context);
}

/// Repeats what was done last to a conversation.
pub(crate) fn repeat(inbox: &mut Inbox) {
    let steps = inbox.features.macros.recording.last.clone();
    playing::play(inbox, None, steps);
}

/// Whether a macro is of the configuration; says so.
fn is_fixed(context: &mut Context, letter: char) -> bool {
    let fixed = context.settings.macros.iter().any(|fixed| fixed.macro_.letter == letter);
    if fixed {
        context.warn(format!("macro {letter} stands in the configuration; it is changed there only"));
    }
    fixed
}

/// The macro of the configuration a key plays.
pub(crate) fn fixed_macro(context: &Context, key: KeyPress) -> Option<char> {
    let of = |fixed: &&Fixed| fixed.key == Some(key);
    context.settings.macros.iter().find(of).map(|fixed| fixed.macro_.letter)
}

/// Whether a key press is a person's answer to a question.
pub(crate) fn asks_a_person(context: &Context) -> bool {
    context.layers.last().is_some_and(|layer| layer.is_question())
}
