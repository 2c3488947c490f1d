//! Begins a mail and goes from field to field of its head.

use crate::Inbox;
use crate::command::Command;
use crate::components::list::Step;
use crate::components::text_buffer::TextEdit;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::canned::update as canned;
use crate::screens::mail::head::{BODY, Did, SUBJECT};
use crate::screens::mail::reading::update::current_letter;
use crate::screens::mail::writing::MailBeginning;
use crate::tab::Focus;
use crate::watch::update as watch;
use model::email::compose::{ComposedMail, MailStyle, forward_mail, reply_to_mail};
use model::email::quoting::QuoteStyle;
use model::email::{Correspondent, NEW_MAIL_PREFIX as NEW};
use model::ids::{ChannelId, ConversationId};

/// Begins a mail as soon as its thread and draft are loaded.
pub(crate) fn begin_mail(inbox: &mut Inbox, begun: MailBeginning, canned: bool) {
    if begun == MailBeginning::New {
        let id = ConversationId::new(format!("{NEW}{}", inbox.context.now.micros()));
        inbox.desk.show_new_mail(&id, &mut inbox.context);
    } else if !inbox.desk.open(Focus::History, &mut inbox.context) {
        return;
    }
    inbox.desk.tab_mut().mail.begun = Some((begun, canned));
    go_on_with_mail(inbox);
}

/// Makes an answer to the open thread of a text that is in the composer.
pub(crate) fn answer_with_text(inbox: &mut Inbox) {
    inbox.desk.tab_mut().mail.begun = Some((MailBeginning::Answer, false));
    go_on_with_mail(inbox);
}

/// Begins the mail that is wanted, once all it needs is there.
pub(crate) fn go_on_with_mail(inbox: &mut Inbox) {
    let now = inbox.context.moment;
    let Some((begun, canned)) = inbox.desk.tab().mail.begun else { return };
    let tab = inbox.desk.tab();
    let Some(composer) = tab.composer.as_ref().filter(|composer| composer.is_loaded()) else { return };
    let is_new = composer.conversation.as_str().starts_with(NEW);
    let history_is_there = tab.history.as_ref().is_some_and(|history| history.loaded || is_new);
    if !history_is_there {
        return;
    }
    let kept = composer.head.is_some() && !composer.is_mail_blank();
    let styles = &inbox.context.settings.mail_styles;
    let style = styles
        .iter()
        .find(|style| style.0 == tab.channel.id)
        .map(|style| style.1.clone())
        .unwrap_or_default();
    // A text without a head, such as a proposed one, becomes the mail's.
    let loose = if composer.head.is_none() { composer.reply_text() } else { String::new() };
    let written = (!kept).then(|| {
        let written = mail_begun(inbox, begun, &style).with_style(&style);
        ComposedMail { body: format!("{loose}{}", written.body), ..written }
    });
    let answers = matches!(begun, MailBeginning::Answer | MailBeginning::AnswerAll);
    let letter = current_letter(inbox).and_then(|row| row.mail.as_ref());
    let note = letter.filter(|_| answers).and_then(|row| row.describe_reply_address());
    let tab = inbox.desk.tab_mut();
    (tab.mail.begun, tab.mail.begun_to) = (None, None);
    tab.focus = Focus::Composer;
    let Some(composer) = &mut tab.composer else { return };
    composer.mode = ComposerMode::Reply;
    match written {
        Some(written) => {
            // The text begins above the signature, and between quoted lines in
            // the first gap.
            let between = written.quoting == QuoteStyle::Between;
            let first = written.body.lines().position(|line| between && line.is_empty()).unwrap_or(0);
            composer.begin_mail(written, now);
            composer.change_head(now, |head| head.answer_note = note);
            composer.change(now, |composer| composer.move_to(first, 0));
            say_left_behind(inbox, begun);
        }
        None => {
            if let Some(head) = &mut composer.head {
                head.at = BODY;
            }
            let key = inbox.context.settings.keymap.named_in_text(Command::Send);
            inbox.context.say(format!("the mail begun here goes on; {key} reviews it"));
        }
    }
    if canned {
        canned::pick_reply(&mut inbox.context, "");
    }
}

/// Says which files of a mail that is passed on stay behind.
fn say_left_behind(inbox: &mut Inbox, begun: MailBeginning) {
    let came = current_letter(inbox)
        .and_then(|current_letter| current_letter.mail.as_ref())
        .map_or(0, |mail_message| mail_message.files.len());
    let goes = inbox.desk.tab().mail_head().map_or(0, |mail_head| mail_head.files.len());
    let left = came.saturating_sub(goes);
    if left == 0 || begun != MailBeginning::Forward {
        return;
    }
    let which = match (left, came) {
        (1, 1) => "its file stays behind".to_owned(),
        (1, _) => format!("1 of its {came} files stays behind"),
        _ => format!("{left} of its {came} files stay behind"),
    };
    inbox.context.warn(format!("{which}: the server gives no download link"));
}

fn mail_begun(inbox: &Inbox, begun: MailBeginning, style: &MailStyle) -> ComposedMail {
    let tab = inbox.desk.tab();
    let (own, subject) = (tab.own_addresses(), tab.history.as_ref().and_then(|history| history.subject()));
    let subject = subject.map(ToString::to_string);
    let found = current_letter(inbox).and_then(|row| Some((row, row.mail.as_ref()?)));
    let Some((row, letter)) = found.filter(|_| begun != MailBeginning::New) else {
        let row = tab.history.as_ref().and_then(|history| history.row.as_ref());
        let to = tab.mail.begun_to.clone().or_else(|| row.and_then(|row| row.conversation.address.clone()));
        let to = to.unwrap_or_default();
        return ComposedMail { to, subject: subject.unwrap_or_default(), ..ComposedMail::default() };
    };
    let when = row.written_at().map_or_else(String::new, |written| {
        let zone = &inbox.context.settings.zone;
        format!("{} {}", written.day_name(zone), written.hour_and_minute(zone))
    });
    match begun {
        MailBeginning::Forward => forward_mail(letter, &row.message.id, subject.as_deref(), &when),
        all => {
            let mut answer =
                reply_to_mail(letter, subject.as_deref(), &own, all == MailBeginning::AnswerAll, &when);
            if letter.is_missing_author() {
                let contact = tab.history.as_ref().and_then(|pane| pane.row.as_ref());
                answer.to = contact.and_then(|row| row.conversation.address.clone()).unwrap_or_default();
            }
            match &style.attribution {
                Some(attribution) => answer.with_attribution(letter, &when, attribution),
                None => answer,
            }
        }
    }
}

impl Desk {
    /// Puts a mail without a thread into the pane.
    pub(crate) fn show_new_mail(&mut self, id: &ConversationId, context: &mut Context) {
        let tab = &mut self.tabs[self.active];
        watch::show(tab, id, None, context);
        if let Some(history) = &mut tab.history {
            history.opened = true;
        }
        tab.focus = Focus::History;
    }

    /// Whether what is written is a mail that has no thread yet.
    pub(crate) fn writes_new_mail(&self) -> bool {
        let tab = self.tab();
        tab.is_mail() && tab.history.as_ref().is_some_and(|history| history.is_new_mail())
    }

    /// Leaves a mail without a thread, and says where it is.
    pub(crate) fn leave_new_mail(&mut self, context: &mut Context) {
        let is_kept = self.tab().composer.as_ref().is_some_and(|composer| composer.draft().is_some());
        self.leave_mail(context);
        if is_kept {
            context.say(context.keyed("kept as a draft; {go-to-drafts} lists the drafts"));
        }
    }

    /// Leaves what is written, for its thread; where there is none yet, for
    /// the threads it was begun over.
    pub(crate) fn leave_mail(&mut self, context: &mut Context) {
        if !self.writes_new_mail() {
            self.tab_mut().focus = Focus::History;
            return;
        }
        self.tab_mut().mail.begun = None;
        self.tab_mut().focus = Focus::List;
        watch::leave(&mut self.tabs[self.active], context);
        self.triage_again(context);
    }

    /// Goes on with the draft of a mail; false if it is none.
    pub(crate) fn goes_to_mail(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        mode: ComposerMode,
        context: &mut Context,
    ) -> bool {
        let is_mail = self.tab_of(channel).is_some_and(|tab| tab.is_mail());
        if !is_mail || mode == ComposerMode::Note {
            return false;
        }
        self.visit_written(channel, conversation, context);
        self.tab_mut().mail.begun = Some((MailBeginning::Answer, false));
        true
    }

    /// Goes to a conversation that is written in, or to a mail that has no
    /// thread yet.
    pub(crate) fn visit_written(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        context: &mut Context,
    ) {
        if conversation.as_str().starts_with(NEW) {
            self.take_up(channel);
            self.page = crate::pages::PageKind::Inbox;
            self.show_new_mail(conversation, context);
        } else {
            self.visit(channel, conversation, Focus::History, context);
        }
        self.tab_mut().mail.begun = None;
    }

    /// A key while a mail is written; false if it is the composer's own.
    pub(crate) fn mail_key(&mut self, key: KeyPress, context: &mut Context) -> bool {
        let now = context.moment;
        let Some(head) = self.tab().mail_head() else { return false };
        let in_body = head.at == BODY;
        let quotes = head.quote.is_some();
        let is = |command| context.settings.keymap.in_text(command) == Some(key);
        match (key.code, key.ctrl) {
            _ if is(Command::Send) => self.review_mail(context),
            _ if is(Command::Attach) => self.open_attach(context),
            _ if is(Command::SwitchMode) && quotes => self.take_quote(context),
            _ if is(Command::SendLater) => context.warn("a mail leaves after its review, not at a time"),
            (KeyCode::Tab, _) if in_body => self.turn_head(Step::Next),
            (KeyCode::BackTab, _) => self.turn_head(Step::Back),
            (KeyCode::Enter, _) if in_body => {
                if let Some(composer) = &mut self.tab_mut().composer {
                    composer.edit(TextEdit::NewLine, now);
                }
            }
            (KeyCode::Up, _) if in_body && self.is_on_first_line() => self.turn_head(Step::Back),
            _ if in_body => return false,
            (KeyCode::Esc, _) => return false,
            (KeyCode::Char('c' | 'p' | 'o' | 'g'), true) => return false,
            _ => return self.head_key(key, context),
        }
        true
    }

    fn head_key(&mut self, key: KeyPress, context: &mut Context) -> bool {
        let now = context.moment;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        match composer.change_head(now, |composer| composer.key(key)) {
            Some(Did::Changed(Some(begun))) => self.ask_correspondents(&begun, context),
            Some(Did::TookOff(file)) => context.say(format!("{} does not go with it any more", file.name())),
            Some(Did::Changed(None) | Did::Moved) => (),
            Some(Did::Nothing) | None => return false,
        }
        true
    }

    fn turn_head(&mut self, step: Step) {
        if let Some(head) = self.tab_mut().composer.as_mut().and_then(|composer| composer.head.as_mut()) {
            head.turn(step);
        }
    }

    fn is_on_first_line(&self) -> bool {
        self.tab().composer.as_ref().is_some_and(|composer| composer.sheet().cursor().0 == 0)
    }

    /// What is quoted comes into the text, to be cut or left out.
    fn take_quote(&mut self, context: &mut Context) {
        let now = context.moment;
        let Some(composer) = &mut self.tab_mut().composer else { return };
        let Some(written) = composer.written() else { return };
        let Some(quote) = composer.change_head(now, |composer| composer.quote.take()).flatten() else {
            return;
        };
        let (at, before) = (composer.sheet().cursor(), composer.sheet().text());
        let is_above = written.quoting == QuoteStyle::Above;
        let shown = if written.quoting == QuoteStyle::Nowhere { QuoteStyle::Below } else { written.quoting };
        let above = if is_above { quote.lines().count() + 1 } else { 0 };
        composer.change(now, |composer| {
            composer.replace_all(&ComposedMail { quoting: shown, ..written }.full_text());
            composer.move_to(at.0 + above, at.1);
        });
        composer.note_taken(quote, before, now);
        context.say("what was quoted is in the text now");
    }

    /// What a canned reply says of a mail beside its text.
    pub(crate) fn begin_by_template(
        &mut self,
        subject: Option<String>,
        quoting: Option<QuoteStyle>,
        context: &Context,
    ) {
        let now = context.moment;
        let Some(composer) = self.tab_mut().composer.as_mut().filter(|composer| composer.head.is_some())
        else {
            return;
        };
        if let (Some(QuoteStyle::Between), Some(written)) = (quoting, composer.written())
            && written.quote.is_some()
        {
            let turned = written.with_quote_style(QuoteStyle::Between);
            let first = turned.body.lines().position(str::is_empty).unwrap_or(0);
            let before = composer.sheet().text();
            composer.change(now, |composer| {
                composer.replace_all(&turned.body);
                composer.move_to(first, 0);
            });
            let quote = composer.change_head(now, |composer| composer.quote.take()).flatten();
            composer.note_taken(quote.unwrap_or_default(), before, now);
        }
        composer.change_head(now, |composer| {
            composer.quoting = quoting.unwrap_or(composer.quoting);
            if let Some(subject) = subject {
                composer.fields[SUBJECT].set(subject);
            }
        });
    }

    /// Quotes in another place, or nowhere.
    pub(crate) fn turn_quoting(&mut self, context: &mut Context) {
        let now = context.moment;
        let Some(composer) = &mut self.tab_mut().composer else { return };
        let turned = composer.change_head(now, |composer| {
            composer.quote.as_ref()?;
            composer.quoting = composer.quoting.next();
            Some(composer.quoting)
        });
        context.say(match turned.flatten() {
            None => "nothing is quoted beside the text",
            Some(QuoteStyle::Above) => "the quoted mail goes above the text",
            Some(QuoteStyle::Nowhere) => "the mail is not quoted",
            Some(QuoteStyle::Below | QuoteStyle::Between) => "the quoted mail goes below the text",
        });
    }

    /// Who fits an address has come.
    pub(crate) fn offer_correspondents(&mut self, channel: &ChannelId, text: &str, found: &[Correspondent]) {
        if let Some(tab) = self.tab_of(channel)
            && let Some(head) = tab.composer.as_mut().and_then(|composer| composer.head.as_mut())
        {
            head.offer(text, found.to_vec());
        }
    }

    /// Pasted text goes into the current field; false if the text has it.
    pub(crate) fn paste_into_head(&mut self, outside: &str, context: &Context) -> bool {
        let now = context.moment;
        let is_field = self.tab().mail_head().is_some_and(|mail_head| mail_head.at < BODY);
        if !is_field || !self.is_typing() {
            return false;
        }
        let clean = model::text::clean_pasted(outside).replace('\n', ", ");
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.change_head(now, |composer| {
                let at = composer.at;
                composer.fields[at].insert(clean.trim());
                composer.touched = true;
            });
        }
        true
    }
}
