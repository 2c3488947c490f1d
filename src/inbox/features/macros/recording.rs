//! Recording macros: what is pressed while one is recorded, and always what
//! was done last to a conversation, so that it can be done again.
//!
//! Answers to questions are never recorded: they are a person's to give. Knows
//! nothing of playing.

use crate::Inbox;
use crate::event::Effect;
use crate::features::macros::steps;
use crate::features::macros::steps::RecordedStep;
use crate::features::undo::UndoTarget;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::overlays::line::LineKind;
use model::macros::Macro;

/// Keys and commands of one macro at most.
const MOST: usize = 2_000;

/// A macro of the configuration: it is changed there only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The letter and the steps.
    pub macro_: Macro,
    /// A key that plays it at once.
    pub key: Option<KeyPress>,
}

/// The macros there are, and what is being recorded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recording {
    /// All macros, by their letters.
    pub(crate) all: Vec<Macro>,
    /// The letter and the steps so far.
    under_way: Option<(char, Vec<RecordedStep>)>,
    /// What was done last to a conversation.
    pub(crate) last: Vec<RecordedStep>,
    /// What is being done to one, until its menu is closed.
    trail: Vec<RecordedStep>,
}

impl Inbox {
    /// The macros there are.
    pub fn macros(&self) -> &[Macro] {
        &self.recording.all
    }

    /// The letter and the number of steps of the macro being recorded.
    pub fn is_recording(&self) -> Option<(char, usize)> {
        self.recording.under_way.as_ref().map(|(letter, done)| (*letter, steps::count(done)))
    }

    /// Asks under which letter to record, or ends the recording.
    pub(crate) fn record(&mut self) {
        match self.recording.under_way.take() {
            None => self.open_layer(Layer::Macros { chosen: 0, records: true }),
            Some((letter, recorded)) if recorded.is_empty() => {
                self.say(format!("nothing was done, so {letter} was not recorded"));
            }
            Some((letter, recorded)) => {
                let macro_ = Macro { letter, steps: steps::kept(&recorded) };
                self.say(self.keyed(&format!(
                    "recorded {letter}: {} · {{play-macro}} {letter} plays it",
                    count(steps::count(&recorded))
                )));
                self.keep_macro(letter, Some(macro_));
            }
        }
    }

    /// Whether a macro is of the configuration; says so.
    fn is_fixed(&mut self, letter: char) -> bool {
        let fixed = self.context.settings.macros.iter().any(|it| it.macro_.letter == letter);
        if fixed {
            self.warn(format!("macro {letter} stands in the configuration; it is changed there only"));
        }
        fixed
    }

    /// The macro of the configuration a key plays.
    pub(crate) fn fixed_macro(&self, key: KeyPress) -> Option<char> {
        let of = |it: &&Fixed| it.key == Some(key);
        self.context.settings.macros.iter().find(of).map(|it| it.macro_.letter)
    }

    fn begin(&mut self, letter: char) {
        if self.is_fixed(letter) {
            return;
        }
        self.recording.under_way = Some((letter, Vec::new()));
        self.say(self.keyed(&format!("recording {letter} · {{record-macro}} ends it")));
    }

    /// Keeps a macro instead of the one before it, or none, so that it can be
    /// taken back.
    fn keep_macro(&mut self, letter: char, wanted: Option<Macro>) {
        if self.is_fixed(letter) {
            return;
        }
        let before = self.recording.all.iter().find(|it| it.letter == letter).cloned();
        let words = match (&before, &wanted) {
            (_, None) => format!("deleted macro {letter}"),
            (None, _) => format!("recorded macro {letter}"),
            (Some(_), _) => format!("recorded macro {letter} anew"),
        };
        let channel = self.tab().channel.id.clone();
        self.note_done(channel, &words, UndoTarget::Macro(letter, before));
        self.set_macro(letter, wanted);
    }

    /// Sets a macro, or none.
    pub(crate) fn set_macro(&mut self, letter: char, wanted: Option<Macro>) {
        self.recording.all.retain(|it| it.letter != letter);
        self.recording.all.extend(wanted.clone());
        self.recording.all.sort_by_key(|it| it.letter);
        self.context.push(Effect::SaveMacro(letter, wanted.map(|it| it.steps)));
    }

    /// A step was done by the person.
    pub(crate) fn recorded(&mut self, step: RecordedStep) {
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
            self.warn(format!("macro {letter} is {MOST} keys long; more are not recorded"));
        }
    }

    /// A key goes to a menu or a form: it is a step, unless it answers a
    /// question or what it comes to is a step of its own.
    pub(crate) fn record_layer_key(&mut self, key: KeyPress) {
        let own = |it: &Layer| match it {
            Layer::Palette(_) => true,
            Layer::Line(line) => matches!(line.kind, LineKind::Command { .. }),
            it => it.is_question(),
        };
        if self.layers.last().is_some_and(|it| !own(it)) {
            self.recorded(RecordedStep::Key(key));
        }
    }

    /// Text was pasted by the person.
    pub(crate) fn pasted(&mut self, text: &str) {
        if self.playing.is_some() {
            return self.stop_playing("text was pasted meanwhile, which was ignored");
        }
        if !self.asks_a_person() && (!self.layers.is_empty() || self.is_typing()) {
            self.recorded(RecordedStep::Paste(text.to_owned()));
        }
        self.paste(text);
    }

    /// Remembers what is done to a conversation until its menu is closed.
    fn trail(&mut self, step: &RecordedStep) {
        let trail = &mut self.recording.trail;
        match step {
            RecordedStep::Command(command, _) if steps::can_be_repeated(*command) => {
                *trail = vec![step.clone()]
            }
            RecordedStep::Command(..) => trail.clear(),
            RecordedStep::Key(key) if key.code == KeyCode::Esc => trail.clear(),
            RecordedStep::Key(_) | RecordedStep::Paste(_) if !trail.is_empty() => trail.push(step.clone()),
            RecordedStep::Key(_) | RecordedStep::Paste(_) => (),
            RecordedStep::Line(_) => trail.clear(),
        }
    }

    /// After each event: what was done to a conversation is whole once no menu
    /// is open any more.
    pub(crate) fn end_trail(&mut self) {
        if self.layers.is_empty() && !self.recording.trail.is_empty() {
            self.recording.last = std::mem::take(&mut self.recording.trail);
        }
    }

    /// A key goes to the menu of macros.
    pub(crate) fn macros_key(&mut self, chosen: usize, records: bool, key: KeyPress) {
        let last = self.recording.all.len().saturating_sub(1);
        let letter_of = |index: usize| self.recording.all.get(index).map(|it| it.letter);
        let moved = match (key.code, key.typed()) {
            (KeyCode::Esc, _) => return,
            (KeyCode::Down, _) => (chosen + 1).min(last),
            (KeyCode::Up, _) => chosen.saturating_sub(1),
            (KeyCode::Enter, _) => match letter_of(chosen) {
                Some(letter) if records => return self.begin(letter),
                Some(letter) => return self.play_macro(letter),
                None => chosen,
            },
            (KeyCode::Delete, _) => {
                if let Some(letter) = letter_of(chosen)
                    && !self.is_fixed(letter)
                {
                    self.keep_macro(letter, None);
                    self.say(self.keyed(&format!("deleted macro {letter} · {{undo}} brings it back")));
                }
                chosen.min(last.saturating_sub(1))
            }
            (_, Some(letter)) if letter.is_alphanumeric() && records => return self.begin(letter),
            (_, Some(letter)) if letter.is_alphanumeric() => return self.play_macro(letter),
            _ => chosen,
        };
        self.layers.push(Layer::Macros { chosen: moved, records });
    }

    /// Repeats what was done last to a conversation.
    pub(crate) fn repeat(&mut self) {
        let steps = self.recording.last.clone();
        self.play(None, steps);
    }

    /// What `.` does again, in words.
    pub(crate) fn repeatable(&self) -> bool {
        !self.recording.last.is_empty()
    }

    /// Macros have been read.
    pub(crate) fn macros_known(&mut self, macros: Vec<Macro>) {
        let fixed: Vec<Macro> = self.context.settings.macros.iter().map(|it| it.macro_.clone()).collect();
        let own = macros.into_iter().filter(|own| fixed.iter().all(|it| it.letter != own.letter));
        self.recording.all = own.chain(fixed.clone()).collect();
        self.recording.all.sort_by_key(|it| it.letter);
    }

    /// The steps of a macro.
    pub(crate) fn steps_of(&self, letter: char) -> Result<Vec<RecordedStep>, String> {
        let found = self.recording.all.iter().find(|it| it.letter == letter);
        let Some(found) = found else {
            return Err(self
                .keyed(&format!("macro {letter} was never recorded; {{record-macro}} {letter} records it")));
        };
        steps::read(&found.steps).ok_or_else(|| {
            format!(
                "macro {letter} was recorded by another version and has steps unknown here; record it anew"
            )
        })
    }

    /// Whether a key press is a person's answer to a question.
    pub(crate) fn asks_a_person(&self) -> bool {
        self.layers.last().is_some_and(Layer::is_question)
    }
}

/// How many steps, in words.
pub(crate) fn count(steps: usize) -> String {
    match steps {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    }
}
