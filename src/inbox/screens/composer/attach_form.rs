//! The form in which a file or a link is named: its keys.

use crate::Inbox;
use crate::command::Command;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::attachments::{AttachForm, AttachmentCheck, next_kind, with_mail};
use crate::tab::Focus;
use model::attachments::ReplyAttachment;
use model::email::attached::DraftFile;

impl Overlay for AttachForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let turns = inbox.context.settings.keymap.in_text(Command::Attach) == Some(key);
        match key.code {
            KeyCode::Esc => return self.leave(inbox),
            KeyCode::Char('c') if key.ctrl => return self.leave(inbox),
            _ if turns && inbox.desk.tab().mail_head().is_some() => {}
            _ if turns => self.kind = next_kind(self, inbox.desk.tab().platform()).or(self.kind),
            KeyCode::Tab => {
                if let Some(longer) = self.longer.take() {
                    self.line.set(longer);
                    self.look_at_typed(inbox);
                }
            }
            KeyCode::Down | KeyCode::Up => self.pick(key.code == KeyCode::Down),
            KeyCode::Enter => return self.attach(inbox),
            _ => {
                let before = self.line.text().to_owned();
                if self.line.key(key) && self.line.text() != before {
                    inbox.context.notice = None;
                    self.look_at_typed(inbox);
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        self.put(text);
        self.look_at_typed(inbox);
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Shelf(_))
    }
}

impl AttachForm {
    /// Asks again about what is typed.
    fn look_at_typed(&mut self, inbox: &mut Inbox) {
        inbox.context.effects.extend(self.inspect_typed().map(Effect::Ask));
    }

    /// Attaches what was found; an empty line takes away what was attached.
    fn attach(&self, inbox: &mut Inbox) -> KeyOutcome {
        let now = inbox.context.moment;
        let refused = match (&self.found, self.thing()) {
            (AttachmentCheck::Wrong(why), _) => Some(why.clone()),
            (AttachmentCheck::Looking, _) => Some("still looking at the file".to_owned()),
            (_, Some(_)) => self.refusal(inbox.desk.tab()),
            (_, None) => None,
        };
        if let Some(why) = refused {
            inbox.context.warn(format!("not attached: {why}"));
            return KeyOutcome::Stay;
        }
        let thing = self.thing();
        if inbox.desk.tab().mail_head().is_some() {
            return attach_to_mail(inbox, thing.as_ref());
        }
        let words = match &thing {
            Some(it) => format!("{} is attached; the text is its caption; nothing was sent", it.name()),
            None => "nothing is attached".to_owned(),
        };
        let Some(composer) = &mut inbox.desk.tab_mut().composer else { return KeyOutcome::Done };
        composer.mode = ComposerMode::Reply;
        composer.attach(thing, now);
        inbox.desk.tab_mut().focus = Focus::Composer;
        inbox.context.say(words);
        KeyOutcome::Done
    }

    /// Nothing is attached: a text that was taken for a path comes back.
    fn leave(&mut self, inbox: &mut Inbox) -> KeyOutcome {
        let now = inbox.context.moment;
        if let (Some(text), Some(composer)) = (self.instead.take(), &mut inbox.desk.tab_mut().composer) {
            composer.paste(&text, now);
        }
        KeyOutcome::Done
    }
}

/// It goes with the mail, beside what goes with it already.
fn attach_to_mail(inbox: &mut Inbox, thing: Option<&ReplyAttachment>) -> KeyOutcome {
    let now = inbox.context.moment;
    let Some(thing) = thing else { return KeyOutcome::Done };
    let (file, size) = with_mail(thing);
    if let (DraftFile::Typed(path), false) = (&file, file.is_fetched_by_service()) {
        inbox.context.push(Effect::Ask(OutsideRequest::FileSize(path.clone())));
    }
    let Some(composer) = &mut inbox.desk.tab_mut().composer else { return KeyOutcome::Done };
    let name = file.name().to_owned();
    composer.change_head(now, |composer| composer.files.push((file, size)));
    inbox.context.say(format!("{name} goes with the mail; nothing was sent"));
    KeyOutcome::Done
}
