//! Records ratings of answers, with a form for bad ones.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::form::FormKey;
use crate::event::FileWrite;
use crate::features::undo::UndoTarget;
use crate::keymap::update as keymap;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::reviews::BadAnswerForm;
use crate::wrap;
use model::reviews::{RejectionReason, ReviewEntry, ReviewVerdict};
use model::text;
use model::text::SafeText;

const LABEL_WIDTH: usize = 18;
const MAX_QUOTE_CHARS: usize = 300;
const MAX_CORRECTION_CHARS: usize = 2_000;

impl Overlay for BadAnswerForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.at, 0..2) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::FocusMoved => (),
            FormKey::Submit => {
                let corrected = self.corrected.text().trim().to_owned();
                let verdict = ReviewVerdict::Bad { reason: self.reason(), corrected };
                record_verdict(inbox, self.entry.clone(), verdict);
                return KeyOutcome::Done;
            }
            FormKey::FieldInput if self.at == 0 => {
                let count = RejectionReason::ALL.len();
                match key.code {
                    KeyCode::Right | KeyCode::Char(' ' | 'l') => self.reason = (self.reason + 1) % count,
                    KeyCode::Left | KeyCode::Char('h') => self.reason = (self.reason + count - 1) % count,
                    _ => return KeyOutcome::Ignored,
                }
            }
            FormKey::FieldInput => {
                if self.corrected.text().chars().count() < MAX_CORRECTION_CHARS
                    || !matches!(key.code, KeyCode::Char(_))
                {
                    self.corrected.key(key);
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        let pasted: String = text::clean_pasted(outside).split_whitespace().collect::<Vec<_>>().join(" ");
        let room = MAX_CORRECTION_CHARS.saturating_sub(self.corrected.text().chars().count());
        self.at = 1;
        self.corrected.insert(&pasted.chars().take(room).collect::<String>());
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl OverlayView for BadAnswerForm {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let quoted = |text: &SafeText| wrap::cut(SafeText::line(text.as_str()).as_str(), MAX_QUOTE_CHARS);
        let reason = format!("{:<LABEL_WIDTH$} < {} >", "What is wrong", self.reason().label());
        let tone = if self.at == 0 { Tone::Strong } else { Tone::Plain };
        let text = (self.corrected.before(), self.corrected.after());
        let lines = vec![
            DialogLine::new(quoted(&self.entry.question), Tone::Customer),
            DialogLine::new(quoted(&self.entry.answer), Tone::Dim),
            DialogLine::blank(),
            DialogLine::new(reason, tone),
            DialogLine::field("The right answer", LABEL_WIDTH, text, self.at == 1),
            DialogLine::blank(),
            DialogLine::dim("The right answer is optional. It is never sent, only exported as an example."),
            DialogLine::strong("Enter keeps it · Space next reason · Tab next field · Esc back"),
        ];
        Dialog::new("A bad answer", lines)
    }
}

pub(crate) fn record_verdict(inbox: &mut Inbox, entry: ReviewEntry, verdict: ReviewVerdict) {
    let words = match &verdict {
        ReviewVerdict::Good => "a good answer".to_owned(),
        ReviewVerdict::Bad { reason, .. } => format!("a bad answer: {}", reason.label()),
    };
    let agent = inbox.context.settings.agent.clone();
    inbox.context.push(FileWrite::Review(Box::new(entry.clone()), Some(verdict), agent));
    inbox.outbox.reviews.rows.mark_stale();
    inbox.context.show_notice(format!("{words} · {}", keymap::undo_hint(&inbox.desk, &inbox.context)));
    let channel = entry.channel.clone();
    inbox.changes.record_change(channel, &words, UndoTarget::Review(Box::new(entry)), &inbox.context);
}
