use crate::Inbox;
use crate::command::Command;
use crate::event::{Effect, Load, TerminalOrder};
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::attachments::{AttachForm, AttachmentCheck, next_kind, to_draft_file};
use crate::tab::Focus;
use model::attachments::ReplyAttachment;
use model::email::attached::DraftFile;
use model::outbox::content::MediaKind;

impl Overlay for AttachForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let turns = inbox.context.settings.keymap.key_in_text(Command::Attach) == Some(key);
        match key.code {
            KeyCode::Esc => return self.leave(inbox),
            KeyCode::Char('c') if key.ctrl => return self.leave(inbox),
            KeyCode::Char('r') if key.ctrl => record_voice(inbox),
            _ if turns && inbox.desk.tab().compose_header().is_some() => {}
            _ if turns => self.kind = next_kind(self, inbox.desk.tab()),
            KeyCode::Tab => {
                if let Some(longer) = self.completion.take() {
                    self.line.set(longer);
                    self.check_typed_file(inbox);
                }
            }
            KeyCode::Down | KeyCode::Up => self.pick_uploaded(key.code == KeyCode::Down),
            KeyCode::Enter => return self.attach_checked(inbox),
            _ => {
                let before = self.line.text().to_owned();
                if self.line.key(key) && self.line.text() != before {
                    inbox.context.notice = None;
                    self.check_typed_file(inbox);
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, inbox: &mut Inbox, text: &str) -> bool {
        self.insert_pasted(text);
        self.check_typed_file(inbox);
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn shows_load(&self, load: &Load) -> bool {
        matches!(load, Load::UploadedFiles(_))
    }
}

impl AttachForm {
    fn check_typed_file(&mut self, inbox: &mut Inbox) {
        inbox.context.effects.extend(self.inspect_typed().map(Effect::Request));
    }

    /// Attaches the checked files; an empty line removes those attached before.
    fn attach_checked(&self, inbox: &mut Inbox) -> KeyOutcome {
        let now = inbox.context.moment;
        let refused = match &self.check {
            AttachmentCheck::Rejected(why) => Some(why.clone()),
            AttachmentCheck::Checking => Some("still reading the file".to_owned()),
            AttachmentCheck::Sendable(_) => self.rejection_reason(inbox.desk.tab()),
            AttachmentCheck::Empty => None,
        };
        if let Some(why) = refused {
            inbox.context.show_warning(format!("not attached: {why}"));
            return KeyOutcome::Stay;
        }
        let found = self.attachments();
        if inbox.desk.tab().compose_header().is_some() {
            return attach_to_mail(inbox, &found);
        }
        let words = match found.as_slice() {
            [] => "nothing is attached".to_owned(),
            [one] if one.kind == MediaKind::Sticker => {
                format!("{} is attached as a sticker; nothing was sent", one.name())
            }
            [one] => format!("{} is attached; the text is its caption; nothing was sent", one.name()),
            several => {
                let count = several.len();
                format!("{count} files are attached; the text is the caption of the first; nothing was sent")
            }
        };
        let Some(composer) = &mut inbox.desk.tab_mut().composer else { return KeyOutcome::Done };
        composer.mode = ComposerMode::Reply;
        composer.attach(found, now);
        inbox.desk.tab_mut().focus = Focus::Composer;
        inbox.context.show_notice(words);
        KeyOutcome::Done
    }

    /// Leaves without attaching; a pasted text taken for a path returns to the reply.
    fn leave(&mut self, inbox: &mut Inbox) -> KeyOutcome {
        let now = inbox.context.moment;
        if let (Some(text), Some(composer)) = (self.pasted_text.take(), &mut inbox.desk.tab_mut().composer) {
            composer.paste(&text, now);
        }
        KeyOutcome::Done
    }
}

fn record_voice(inbox: &mut Inbox) {
    let command = inbox.context.settings.record_command.clone();
    if command.is_empty() {
        return inbox.context.show_warning("nothing is recorded: set record in [voice] of config.toml");
    }
    inbox.context.push(TerminalOrder::Record(command));
}

fn attach_to_mail(inbox: &mut Inbox, found: &[ReplyAttachment]) -> KeyOutcome {
    let now = inbox.context.moment;
    let files: Vec<(DraftFile, Option<u64>)> = found.iter().map(to_draft_file).collect();
    for (file, _) in &files {
        if let (DraftFile::Typed(path), false) = (file, file.is_fetched_by_service()) {
            inbox.context.push(Effect::Request(OutsideRequest::FileSize(path.clone())));
        }
    }
    let words = match files.as_slice() {
        [] => return KeyOutcome::Done,
        [(file, _)] => format!("{} is attached; nothing was sent", file.name()),
        several => format!("{} files are attached; nothing was sent", several.len()),
    };
    let Some(composer) = &mut inbox.desk.tab_mut().composer else { return KeyOutcome::Done };
    composer.edit_header(now, |composer| composer.files.extend(files));
    inbox.context.show_notice(words);
    KeyOutcome::Done
}
