//! One draft open in two windows: the newer text is shown, `:draft` fetches the replaced one back. A text
//! that is sent or emptied in one window goes in the other, unless it was changed there; `:draft` fetches
//! it back, too. A note that was not changed here follows the other window.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::composer::{ComposedReply, Composer};
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use crate::tab::{Focus, Tab};
use model::attachments::merge;
use model::email::NEW_MAIL_PREFIX;
use model::email::compose::ComposedMail;
use model::ids::{ChannelId, ConversationId};
use model::messages::Direction;
use model::queries::Draft;
use model::time::Moment;

#[derive(Debug, Clone, PartialEq, Eq)]
enum DraftComparison {
    /// No difference that matters.
    Same,
    /// Different in one read; a second read must confirm it.
    Unconfirmed,
    /// Another window's text is shown; holds what was shown here, unless the newer draft contains it.
    Changed(Option<Draft>),
    /// Sent or emptied in another window; holds what was shown here.
    Gone(Draft),
}

/// Loads the stored draft, which another window may have written.
pub(crate) fn load_stored_draft(tab: &Tab) -> Option<Effect> {
    let composer = tab.composer.as_ref().filter(|composer| composer.is_loaded())?;
    Some(Effect::Load(Load::Draft(tab.channel.id.clone(), composer.conversation.clone())))
}

impl Changes {
    /// Takes a stored draft: the first one fills the composer, later ones are compared.
    pub(crate) fn draft_loaded(
        &mut self,
        channel: ChannelId,
        conversation: ConversationId,
        draft: Option<Draft>,
        aside: Option<String>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let in_memory = self.draft_in_memory(&channel, &conversation);
        let is_shown = desk.is_inbox_shown() && desk.tab().channel.id == channel;
        let Some(tab) = desk.tab_of(&channel) else { return };
        let history = tab.history.as_ref().filter(|history| history.conversation == conversation);
        let is_writing = tab.focus == Focus::Composer;
        let composer = tab.composer.as_mut().filter(|composer| composer.conversation == conversation);
        let Some(composer) = composer else { return };
        if !composer.is_loaded() {
            composer.replaced = aside.map(draft_of_text);
            return composer.receive_draft(in_memory.unwrap_or(draft));
        }
        let is_mail = composer.header.is_some();
        // A mail under review, and one without a thread, are not taken away.
        let stays =
            is_writing && !context.overlays.is_empty() || conversation.as_str().starts_with(NEW_MAIL_PREFIX);
        if in_memory.is_some() || is_mail && stays {
            composer.unconfirmed_draft = None;
            return;
        }
        if !self.is_writing() && composer.follow_note(draft.as_ref()) {
            context.push(Effect::Load(Load::Draft(channel.clone(), conversation.clone())));
        }
        let is_first = !composer.is_shared;
        let was_sent = history.is_some_and(|history| has_sent(history, composer));
        match composer.compare_draft(draft, was_sent) {
            DraftComparison::Same => (),
            DraftComparison::Gone(shown) => {
                composer.replaced = Some(shown);
                if is_mail && is_writing {
                    tab.focus = Focus::History;
                    if is_shown {
                        return context.open(gone_mail_question(channel, conversation));
                    }
                }
                context.show_notice(match is_shown {
                    true => "sent or emptied in another window · :draft brings the text back".to_owned(),
                    false => format!("{}: a draft was sent or emptied in another window", tab.channel.name),
                });
            }
            // The read may predate this window's last write.
            DraftComparison::Unconfirmed => context.push(Effect::Load(Load::Draft(channel, conversation))),
            DraftComparison::Changed(mine) => {
                let keeps = mine.is_some();
                let replaced = mine.or(aside.map(draft_of_text));
                composer.replaced = replaced.or_else(|| composer.replaced.take());
                if keeps {
                    context.show_notice(
                        "also open in another window: its newer text is shown, :draft brings yours back",
                    );
                } else if is_first {
                    context.show_notice("also open in another window: its newer text is shown");
                }
            }
        }
    }
}

/// `:draft`
pub(crate) fn restore_replaced_text(inbox: &mut Inbox, _: &str) -> Result<(), String> {
    let now = inbox.context.moment;
    let composer = inbox.desk.tab_mut().composer.as_mut();
    let replaced = composer.and_then(|composer| Some((composer.replaced.take()?, composer)));
    let (replaced, composer) = replaced.ok_or("no text here was replaced by another window")?;
    composer.restore_replaced(replaced, now);
    inbox.context.show_notice("your replaced text is restored, before any newer one");
    Ok(())
}

fn draft_of_text(text: String) -> Draft {
    Draft { text, ..Draft::default() }
}

/// Tells the writer of a mail that it is gone. A dialog, so that the next letters are no commands.
fn gone_mail_question(channel: ChannelId, conversation: ConversationId) -> Confirm {
    let lines = vec![DialogLine::plain("This mail is no longer a draft.")];
    let restore = move |inbox: &mut Inbox| {
        let tab = inbox.desk.tab();
        let composer = tab.composer.as_ref().filter(|_| tab.channel.id == channel);
        if composer.is_none_or(|composer| composer.conversation != conversation) {
            return;
        }
        match restore_replaced_text(inbox, "") {
            Ok(()) => inbox.desk.tab_mut().focus = Focus::Composer,
            Err(why) => inbox.context.show_warning(why),
        }
    };
    Confirm::new("Sent or emptied in another window", lines)
        .answer('b', "bring it back", restore)
        .esc("close")
}

/// True if the text of a reply without files is among the messages to the customer, sent or waiting.
fn has_sent(history: &History, composer: &Composer) -> bool {
    let reply = composer.reply_text();
    let text = reply.trim();
    if text.is_empty() || !composer.attachments.is_empty() {
        return false;
    }
    history.items.iter().any(|item| match item {
        HistoryItem::Message(row) => {
            row.message.direction == Direction::Outbound && row.message.content.as_str().trim() == text
        }
        HistoryItem::Outbox(row, _) => {
            row.operation.written_text().is_some_and(|(written, _)| written.trim() == text)
        }
        HistoryItem::Note(_) => false,
    })
}

impl Composer {
    /// Compares the stored draft and adopts a newer text, unless there is unsaved text. `was_sent`: the text
    /// in the composer is a message by now.
    fn compare_draft(&mut self, draft: Option<Draft>, was_sent: bool) -> DraftComparison {
        let is_empty = |draft: &Draft| draft.text.is_empty() && draft.attachments.is_empty();
        if draft.as_ref().is_none_or(is_empty) {
            return self.compare_with_no_draft(was_sent);
        }
        let told = draft.filter(|stored| self.may_be_replaced() && self.is_replaced_by(stored));
        let Some(told) = told else {
            self.unconfirmed_draft = None;
            return DraftComparison::Same;
        };
        if self.unconfirmed_draft.as_ref() != Some(&told) {
            self.unconfirmed_draft = Some(told);
            return DraftComparison::Unconfirmed;
        }
        self.unconfirmed_draft = None;
        let mut mine = Draft { attachments: self.attachments.clone(), ..draft_of_text(self.reply_text()) };
        if mine.text.trim().is_empty() || told.text.contains(&mine.text) {
            mine.text.clear();
        }
        mine.attachments.retain(|attachment| !told.attachments.contains(attachment));
        self.replace(told);
        DraftComparison::Changed(Some(mine).filter(|mine| !mine.is_empty()))
    }

    /// Takes the stored note once two reads agree, unless the note was changed here. Returns true if another
    /// read must confirm it.
    fn follow_note(&mut self, stored: Option<&Draft>) -> bool {
        let stored = stored.map_or("", |draft| draft.note.as_str());
        let own = self.note.text();
        if !self.is_saved() || own != self.note_read || own == stored {
            self.unconfirmed_note = None;
            return false;
        }
        if self.unconfirmed_note.as_deref() != Some(stored) {
            self.unconfirmed_note = Some(stored.to_owned());
            return true;
        }
        self.unconfirmed_note = None;
        self.note.set_text(stored);
        stored.clone_into(&mut self.note_read);
        false
    }

    /// True if a stored draft has another text, or was changed in another window and not here.
    fn is_replaced_by(&self, stored: &Draft) -> bool {
        let has_other_text = stored.text != self.reply_text();
        let is_other = has_other_text || stored.attachments != self.attachments;
        has_other_text && !stored.text.is_empty() || self.is_as_read() && is_other
    }

    /// Puts back what another window's draft replaced, before the present text. The text of a stored mail has
    /// its header fields.
    fn restore_replaced(&mut self, replaced: Draft, now: Moment) {
        let Draft { text, reply_to, attachments, .. } = replaced;
        match ComposedMail::from_draft_text(&text).filter(|_| !self.has_no_mail) {
            Some(written) => self.restore_mail(written, now),
            None => self.restore(ComposedReply { text, reply_to, ..ComposedReply::default() }, now),
        }
        self.attach(merge(attachments, self.attachments.clone()), now);
    }

    /// Empties the reply once two reads have found no stored draft, if the text was sent or not changed here.
    fn compare_with_no_draft(&mut self, was_sent: bool) -> DraftComparison {
        let is_mail = self.header.is_some();
        let may_go = self.is_as_read() || !is_mail && was_sent;
        // A mail that is only begun is not stored.
        let is_stored = if is_mail { !self.is_mail_blank() } else { self.has_reply() };
        let is_gone = self.is_saved() && is_stored && may_go;
        if !is_gone {
            self.unconfirmed_draft = None;
            return DraftComparison::Same;
        }
        if self.unconfirmed_draft.as_ref().is_none_or(|draft| !draft.is_empty()) {
            self.unconfirmed_draft = Some(Draft::default());
            return DraftComparison::Unconfirmed;
        }
        self.unconfirmed_draft = None;
        let shown = Draft { note: String::new(), ..self.draft().unwrap_or_default() };
        self.header = None;
        self.replace(Draft::default());
        DraftComparison::Gone(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{KeyCode, KeyPress};
    use crate::screens::composer::ComposerMode;
    use crate::settings::{ChannelInfo, Settings};
    use model::attachments::ReplyAttachment;
    use model::time::ClockReading;

    const NOW: Moment = Moment::from_micros(0);

    fn draft(text: &str) -> Option<Draft> {
        Some(draft_of_text(text.to_owned()))
    }

    fn gone(text: &str) -> DraftComparison {
        DraftComparison::Gone(draft_of_text(text.to_owned()))
    }

    fn composer(text: &str) -> Composer {
        let mut composer = Composer::new(ConversationId::from("c"));
        composer.receive_draft(draft(text));
        composer
    }

    #[test]
    fn what_another_window_wrote_is_taken_once_it_is_sure() {
        let mut composer = composer("one");
        assert_eq!(composer.compare_draft(draft("one"), false), DraftComparison::Same);
        assert_eq!(
            composer.compare_draft(draft("two"), false),
            DraftComparison::Unconfirmed,
            "read before a write from here"
        );
        assert_eq!(composer.compare_draft(draft("one"), false), DraftComparison::Same);
        assert_eq!(composer.compare_draft(draft("two"), false), DraftComparison::Unconfirmed);
        assert_eq!(composer.compare_draft(draft("two"), false), DraftComparison::Changed(draft("one")));
        assert_eq!((composer.text().as_str(), composer.is_shared), ("two", true));
        assert_eq!(composer.compare_draft(draft("two, longer"), false), DraftComparison::Unconfirmed);
        assert_eq!(
            composer.compare_draft(draft("two, longer"), false),
            DraftComparison::Changed(None),
            "nothing is lost"
        );
    }

    #[test]
    fn what_is_being_typed_here_is_not_replaced() {
        let mut composer = composer("one");
        composer.key(KeyPress::plain(KeyCode::Char('!')), Moment::default());
        for _ in 0..3 {
            assert_eq!(composer.compare_draft(draft("two"), false), DraftComparison::Same);
        }
        assert_eq!(composer.text(), "one!");
        composer.take_unsaved();
        assert_eq!(composer.compare_draft(draft("two"), false), DraftComparison::Unconfirmed);
        assert_eq!(
            composer.compare_draft(None, false),
            DraftComparison::Same,
            "sent or emptied elsewhere: typed on here"
        );
    }

    #[test]
    fn what_another_window_sent_goes_here_too() {
        let mut read = composer("one");
        assert_eq!(read.compare_draft(None, false), DraftComparison::Unconfirmed);
        assert_eq!(read.compare_draft(draft("one"), false), DraftComparison::Same, "not sent after all");
        assert_eq!(read.compare_draft(None, false), DraftComparison::Unconfirmed);
        assert_eq!(read.compare_draft(None, false), gone("one"));
        assert!(!read.has_reply() && read.take_unsaved().is_none(), "nothing is written back");
        assert_eq!(read.compare_draft(None, true), DraftComparison::Same);
        // Typed here, adopted and sent by the other window.
        let mut typed = composer("");
        typed.paste("one", Moment::default());
        assert_eq!(typed.compare_draft(None, true), DraftComparison::Same, "not saved yet");
        typed.take_unsaved();
        assert_eq!(typed.compare_draft(None, false), DraftComparison::Same);
        assert_eq!(typed.compare_draft(None, true), DraftComparison::Unconfirmed);
        assert_eq!(typed.compare_draft(None, true), gone("one"));
    }

    #[test]
    fn reply_typed_before_a_note_was_saved_stays() {
        let mut composer = composer("");
        composer.paste("one", NOW);
        composer.mode = ComposerMode::Note;
        composer.paste("call at 5", NOW);
        composer.clear_note();
        composer.take_unsaved();
        for _ in 0..3 {
            assert_eq!(composer.compare_draft(None, false), DraftComparison::Same);
        }
        assert_eq!(composer.text(), "one");
    }

    #[test]
    fn note_follows_the_other_window_until_it_is_changed_here() {
        let noted = |note: &str| Draft { note: note.to_owned(), ..Draft::default() };
        let mut composer = composer("");
        let reads = [
            ("call", ""),
            ("call", "call"),
            ("call at 5", "call"),
            ("call at 5", "call at 5"),
            ("", "call at 5"),
            ("", ""),
        ];
        for (stored, expected) in reads {
            let is_unsure = composer.follow_note(Some(&noted(stored)));
            assert_eq!((composer.note.text().as_str(), is_unsure), (expected, stored != expected));
        }
        composer.restore_note("mine", NOW);
        composer.take_unsaved();
        for _ in 0..3 {
            assert!(!composer.follow_note(Some(&noted("theirs"))));
        }
        assert_eq!(composer.note.text(), "mine");
    }

    #[test]
    fn files_follow_the_other_window_and_come_back() {
        let stored = |attachments: &[&str]| {
            let attachments = attachments.iter().map(|url| ReplyAttachment::link(url)).collect();
            Some(Draft { attachments, ..draft_of_text("one".to_owned()) })
        };
        let (one, two) = ("https://a.example/1.png", "https://a.example/2.png");
        let mut composer = composer("one");
        for expected in [DraftComparison::Unconfirmed, DraftComparison::Changed(None), DraftComparison::Same]
        {
            assert_eq!(composer.compare_draft(stored(&[one, two]), false), expected);
        }
        assert_eq!(composer.compare_draft(stored(&[one]), false), DraftComparison::Unconfirmed);
        let DraftComparison::Changed(Some(taken_off)) = composer.compare_draft(stored(&[one]), false) else {
            panic!("a file was taken off");
        };
        assert_eq!((taken_off.text.as_str(), taken_off.attachments.len()), ("", 1));
        assert_eq!(composer.compare_draft(None, false), DraftComparison::Unconfirmed);
        let DraftComparison::Gone(shown) = composer.compare_draft(None, false) else { panic!("it is gone") };
        assert!(!composer.has_reply());
        composer.restore_replaced(shown, NOW);
        assert_eq!(composer.draft(), stored(&[one]));
    }

    #[test]
    fn letters_after_a_mail_is_gone_are_no_commands() {
        let channel = ChannelId::from("mail");
        let info =
            ChannelInfo { id: channel.clone(), name: "Mail".to_owned(), environment: None, read_only: false };
        let mut inbox = Inbox::new(vec![info], Settings::default(), (120, 40), ClockReading::default());
        let mail = ComposedMail { to: "ana@mail.example".to_owned(), ..ComposedMail::default() };
        let tab = inbox.desk.tab_mut();
        tab.composer = Some(composer(&mail.to_draft_text()));
        tab.focus = Focus::Composer;
        for is_gone in [false, true] {
            let (desk, context) = (&mut inbox.desk, &mut inbox.context);
            let conversation = ConversationId::from("c");
            inbox.changes.draft_loaded(channel.clone(), conversation, None, None, desk, context);
            assert_eq!(!inbox.context.overlays.is_empty(), is_gone);
        }
        let tab = inbox.desk.tab();
        assert!(tab.focus == Focus::History);
        assert!(tab.composer.as_ref().is_some_and(|composer| composer.header.is_none()));
    }

    #[test]
    fn a_mail_of_another_window_keeps_its_header_and_goes_when_it_is_sent() {
        let mail = ComposedMail {
            to: "ana@mail.example".to_owned(),
            subject: "Prices".to_owned(),
            body: "Dear Ana".to_owned(),
            ..ComposedMail::default()
        };
        let stored = mail.to_draft_text();
        let mut composer = composer("");
        assert_eq!(composer.compare_draft(draft(&stored), false), DraftComparison::Unconfirmed);
        assert_eq!(composer.compare_draft(draft(&stored), false), DraftComparison::Changed(None));
        assert_eq!(composer.reply_text(), "Dear Ana");
        let read = composer.composed_mail().expect("a header");
        assert_eq!((read.to, read.subject), (mail.to, mail.subject));
        assert_eq!(composer.compare_draft(None, false), DraftComparison::Unconfirmed);
        assert_eq!(composer.compare_draft(None, false), gone(&stored));
        assert!(composer.header.is_none() && !composer.has_reply());
        // A mail that was brought back or changed here stays.
        composer.restore_replaced(draft_of_text(stored.clone()), NOW);
        assert_eq!(composer.take_unsaved().flatten().map(|draft| draft.text), Some(stored));
        assert_eq!(composer.compare_draft(None, true), DraftComparison::Same);
    }
}
