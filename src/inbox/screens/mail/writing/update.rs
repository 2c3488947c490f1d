//! Starts mails, and handles keys and pastes while one is written.

use crate::Inbox;
use crate::actions;
use crate::command::Command;
use crate::components::list::Step;
use crate::components::text_buffer::TextEdit;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::attachments;
use crate::screens::composer::canned::update as canned;
use crate::screens::mail::compose_header::{BODY_FOCUS, InputResult, SUBJECT_FIELD};
use crate::screens::mail::menus;
use crate::screens::mail::reading::update::current_mail;
use crate::screens::mail::review;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::writing::{BegunMail, MailStart};
use crate::tab::Focus;
use crate::watch::update as watch;
use model::email::compose::{ComposedMail, MailStyle, forward_mail, reply_to_mail};
use model::email::quoting::QuoteStyle;
use model::email::{Correspondent, NEW_MAIL_PREFIX as NEW};
use model::ids::{ChannelId, ConversationId};

/// Starts a mail as soon as its thread and draft are loaded.
pub(crate) fn start_mail(inbox: &mut Inbox, begun: MailStart, canned: bool) {
    if begun == MailStart::New {
        let id = ConversationId::new(format!("{NEW}{}", inbox.context.now.micros()));
        show_new_mail(&mut inbox.desk, &id, &mut inbox.context);
    } else if !actions::open(&mut inbox.desk, Focus::History, &mut inbox.context) {
        return;
    }
    inbox.desk.tab_mut().mail.pending_mail =
        Some(BegunMail { with_canned_reply: canned, ..BegunMail::new(begun) });
    start_pending_mail(inbox);
}

/// Turns the text in the composer into a reply to the open thread.
pub(crate) fn answer_with_text(inbox: &mut Inbox) {
    inbox.desk.tab_mut().mail.pending_mail = Some(BegunMail::new(MailStart::Reply));
    start_pending_mail(inbox);
}

/// Starts the requested mail once its thread and draft are loaded.
pub(crate) fn start_pending_mail(inbox: &mut Inbox) {
    let now = inbox.context.moment;
    let Some(BegunMail { beginning: begun, with_canned_reply: canned, is_given_up }) =
        inbox.desk.tab().mail.pending_mail
    else {
        return;
    };
    let tab = inbox.desk.tab();
    let Some(composer) = tab.composer.as_ref().filter(|composer| composer.is_loaded()) else { return };
    let is_new = composer.conversation.as_str().starts_with(NEW);
    let history_is_there = tab.history.as_ref().is_some_and(|history| history.loaded || is_new);
    if !history_is_there {
        return;
    }
    if is_given_up {
        let mail = &mut inbox.desk.tab_mut().mail;
        (mail.pending_mail, mail.pending_recipient) = (None, None);
        return;
    }
    let kept = composer.header.is_some() && !composer.is_mail_blank();
    let styles = &inbox.context.settings.mail_styles;
    let style = styles
        .iter()
        .find(|style| style.0 == tab.channel.id)
        .map(|style| style.1.clone())
        .unwrap_or_default();
    // Text without header fields, such as a proposed reply, becomes the mail's text.
    let loose = if composer.header.is_none() { composer.reply_text() } else { String::new() };
    let written = (!kept).then(|| {
        let written = initial_mail(inbox, begun, &style).with_style(&style);
        ComposedMail { body: format!("{loose}{}", written.body), ..written }
    });
    let answers = matches!(begun, MailStart::Reply | MailStart::ReplyAll);
    let letter = current_mail(inbox).and_then(|row| row.mail.as_ref());
    let note = letter.filter(|_| answers).and_then(|row| row.describe_reply_address());
    let tab = inbox.desk.tab_mut();
    (tab.mail.pending_mail, tab.mail.pending_recipient) = (None, None);
    tab.focus = Focus::Composer;
    let Some(composer) = &mut tab.composer else { return };
    composer.mode = ComposerMode::Reply;
    match written {
        Some(written) => {
            // Start above the signature; between quoted lines, at the first gap.
            let between = written.quoting == QuoteStyle::Between;
            let first = written.body.lines().position(|line| between && line.is_empty()).unwrap_or(0);
            composer.start_mail(written, now);
            composer.edit_header(now, |head| head.answer_note = note);
            composer.change(now, |composer| composer.move_to(first, 0));
            warn_about_files(inbox, begun);
        }
        None => {
            if let Some(head) = &mut composer.header {
                head.focus = BODY_FOCUS;
            }
            let key = inbox.context.settings.keymap.key_name_in_text(Command::Send);
            inbox.context.show_notice(format!("continuing your draft; {key} review"));
        }
    }
    if canned {
        canned::open_reply_picker(&mut inbox.context, "");
    }
}

/// Warns about files that cannot be forwarded.
fn warn_about_files(inbox: &mut Inbox, begun: MailStart) {
    let came = current_mail(inbox)
        .and_then(|current_letter| current_letter.mail.as_ref())
        .map_or(0, |mail_message| mail_message.files.len());
    let goes = inbox.desk.tab().compose_header().map_or(0, |mail_head| mail_head.files.len());
    let left = came.saturating_sub(goes);
    if left == 0 || begun != MailStart::Forward {
        return;
    }
    let which = match (left, came) {
        (1, 1) => "its file is not included".to_owned(),
        (1, _) => format!("1 of its {came} files is not included"),
        _ => format!("{left} of its {came} files are not included"),
    };
    inbox.context.show_warning(format!("{which}: the server gives no download link"));
}

fn initial_mail(inbox: &Inbox, begun: MailStart, style: &MailStyle) -> ComposedMail {
    let tab = inbox.desk.tab();
    let (own, subject) = (tab.own_addresses(), tab.history.as_ref().and_then(|history| history.subject()));
    let subject = subject.map(ToString::to_string);
    let found = current_mail(inbox).and_then(|row| Some((row, row.mail.as_ref()?)));
    let Some((row, letter)) = found.filter(|_| begun != MailStart::New) else {
        let row = tab.history.as_ref().and_then(|history| history.row.as_ref());
        let to = tab
            .mail
            .pending_recipient
            .clone()
            .or_else(|| row.and_then(|row| row.conversation.address.clone()));
        let to = to.unwrap_or_default();
        return ComposedMail { to, subject: subject.unwrap_or_default(), ..ComposedMail::default() };
    };
    let when = row.written_at().map_or_else(String::new, |written| {
        let zone = &inbox.context.settings.zone;
        format!("{} {}", written.day_name(zone), written.hour_and_minute(zone))
    });
    match begun {
        MailStart::Forward => forward_mail(letter, &row.message.id, subject.as_deref(), &when),
        all => {
            let mut answer =
                reply_to_mail(letter, subject.as_deref(), &own, all == MailStart::ReplyAll, &when);
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

pub(crate) fn show_new_mail(desk: &mut Desk, id: &ConversationId, context: &mut Context) {
    let tab = &mut desk.tabs[desk.active];
    watch::show_conversation(tab, id, None, context);
    if let Some(history) = &mut tab.history {
        history.opened = true;
    }
    tab.focus = Focus::History;
}

pub(crate) fn is_writing_new_mail(desk: &Desk) -> bool {
    let tab = desk.tab();
    tab.is_mail() && tab.history.as_ref().is_some_and(|history| history.is_new_mail())
}

/// Leaves a new mail and reports where its draft is.
pub(crate) fn leave_new_mail(desk: &mut Desk, context: &mut Context) {
    let is_kept = desk.tab().composer.as_ref().is_some_and(|composer| composer.draft().is_some());
    leave_mail(desk, context);
    if is_kept {
        context.show_notice(context.fill_in_keys("kept as a draft; {go-to-drafts} lists the drafts"));
    }
}

/// Leaves the current mail: to its thread, or to the list if it has none.
pub(crate) fn leave_mail(desk: &mut Desk, context: &mut Context) {
    if !is_writing_new_mail(desk) {
        desk.tab_mut().focus = Focus::History;
        return;
    }
    desk.tab_mut().mail.pending_mail = None;
    desk.tab_mut().focus = Focus::List;
    watch::close_conversation(&mut desk.tabs[desk.active], context);
    triage::show_current_in_triage(desk, context);
}

/// Continues the draft of a mail. Returns false if the channel has no mail.
pub(crate) fn continue_mail(
    desk: &mut Desk,
    channel: &ChannelId,
    conversation: &ConversationId,
    mode: ComposerMode,
    context: &mut Context,
) -> bool {
    let is_mail = desk.tab_of(channel).is_some_and(|tab| tab.is_mail());
    if !is_mail || mode == ComposerMode::Note {
        return false;
    }
    open_draft(desk, channel, conversation, context);
    desk.tab_mut().mail.pending_mail = Some(BegunMail::new(MailStart::Reply));
    true
}

/// Gives up a mail that has not begun yet: it opens no composer any more. Returns true if there is one.
pub(crate) fn give_up_mail(desk: &mut Desk) -> bool {
    let begun = desk.tab_mut().mail.pending_mail.as_mut();
    begun.map(|begun| begun.is_given_up = true).is_some()
}

/// Opens a conversation with a draft, or a mail that has no thread yet.
pub(crate) fn open_draft(
    desk: &mut Desk,
    channel: &ChannelId,
    conversation: &ConversationId,
    context: &mut Context,
) {
    if conversation.as_str().starts_with(NEW) {
        desk.activate_tab(channel);
        desk.page = crate::pages::PageKind::Inbox;
        show_new_mail(desk, conversation, context);
    } else {
        desk.open_conversation(channel, conversation, Focus::History, context);
    }
    desk.tab_mut().mail.pending_mail = None;
}

/// Handles a key while a mail is written. Returns false if the key is for the composer.
pub(crate) fn handle_mail_key(desk: &mut Desk, key: KeyPress, context: &mut Context) -> bool {
    let now = context.moment;
    let Some(head) = desk.tab().compose_header() else { return false };
    let in_body = head.focus == BODY_FOCUS;
    let quotes = head.quote.is_some();
    let is = |command| context.settings.keymap.key_in_text(command) == Some(key);
    match (key.code, key.ctrl) {
        _ if is(Command::Send) => review::review_mail(desk, context),
        _ if is(Command::Attach) => attachments::open_attach_form(desk, context),
        _ if is(Command::SwitchMode) && quotes => inline_quote(desk, context),
        _ if is(Command::SendLater) => context.show_warning(
            "mail cannot be scheduled; it is sent after the \
                                                             review",
        ),
        (KeyCode::Tab, _) if in_body => move_header_focus(desk, Step::Next),
        (KeyCode::BackTab, _) => move_header_focus(desk, Step::Back),
        (KeyCode::Enter, _) if in_body => {
            if let Some(composer) = &mut desk.tab_mut().composer {
                composer.edit(TextEdit::NewLine, now);
            }
        }
        (KeyCode::Up, _) if in_body && is_on_first_line(desk) => move_header_focus(desk, Step::Back),
        _ if in_body => return false,
        (KeyCode::Esc, _) => return false,
        (KeyCode::Char('c' | 'p' | 'o' | 'g'), true) => return false,
        _ => return handle_header_key(desk, key, context),
    }
    true
}

fn handle_header_key(desk: &mut Desk, key: KeyPress, context: &mut Context) -> bool {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return false };
    match composer.edit_header(now, |composer| composer.key(key)) {
        Some(InputResult::Changed(Some(begun))) => menus::search_correspondents(desk, &begun, context),
        Some(InputResult::FileRemoved(file)) => {
            context.show_notice(format!("{} is no longer attached", file.name()))
        }
        Some(InputResult::Changed(None) | InputResult::Moved) => (),
        Some(InputResult::Ignored) | None => return false,
    }
    true
}

fn move_header_focus(desk: &mut Desk, step: Step) {
    if let Some(head) = desk.tab_mut().composer.as_mut().and_then(|composer| composer.header.as_mut()) {
        head.move_focus(step);
    }
}

fn is_on_first_line(desk: &Desk) -> bool {
    desk.tab().composer.as_ref().is_some_and(|composer| composer.buffer().cursor().0 == 0)
}

fn inline_quote(desk: &mut Desk, context: &mut Context) {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return };
    let Some(written) = composer.composed_mail() else { return };
    let Some(quote) = composer.edit_header(now, |composer| composer.quote.take()).flatten() else {
        return;
    };
    let (at, before) = (composer.buffer().cursor(), composer.buffer().text());
    let is_above = written.quoting == QuoteStyle::Above;
    let shown = if written.quoting == QuoteStyle::Nowhere { QuoteStyle::Below } else { written.quoting };
    let above = if is_above { quote.lines().count() + 1 } else { 0 };
    composer.change(now, |composer| {
        composer.replace_all(&ComposedMail { quoting: shown, ..written }.full_text());
        composer.move_to(at.0 + above, at.1);
    });
    composer.record_inlined_quote(quote, before, now);
    context.show_notice("the quote is in the text now");
}

/// Applies a canned reply's subject and quote style to the mail.
pub(crate) fn apply_reply_options(
    desk: &mut Desk,
    subject: Option<String>,
    quoting: Option<QuoteStyle>,
    context: &Context,
) {
    let now = context.moment;
    let Some(composer) = desk.tab_mut().composer.as_mut().filter(|composer| composer.header.is_some()) else {
        return;
    };
    if let (Some(QuoteStyle::Between), Some(written)) = (quoting, composer.composed_mail())
        && written.quote.is_some()
    {
        let turned = written.with_quote_style(QuoteStyle::Between);
        let first = turned.body.lines().position(str::is_empty).unwrap_or(0);
        let before = composer.buffer().text();
        composer.change(now, |composer| {
            composer.replace_all(&turned.body);
            composer.move_to(first, 0);
        });
        let quote = composer.edit_header(now, |composer| composer.quote.take()).flatten();
        composer.record_inlined_quote(quote.unwrap_or_default(), before, now);
    }
    composer.edit_header(now, |composer| {
        composer.quoting = quoting.unwrap_or(composer.quoting);
        if let Some(subject) = subject {
            composer.fields[SUBJECT_FIELD].set(subject);
        }
    });
}

pub(crate) fn cycle_quote_style(desk: &mut Desk, context: &mut Context) {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return };
    let turned = composer.edit_header(now, |composer| {
        composer.quote.as_ref()?;
        composer.quoting = composer.quoting.next();
        Some(composer.quoting)
    });
    context.show_notice(match turned.flatten() {
        None => "no quote beside the text",
        Some(QuoteStyle::Above) => "the quoted mail goes above the text",
        Some(QuoteStyle::Nowhere) => "the mail is not quoted",
        Some(QuoteStyle::Below | QuoteStyle::Between) => "the quoted mail goes below the text",
    });
}

pub(crate) fn offer_correspondents(
    desk: &mut Desk,
    channel: &ChannelId,
    text: &str,
    found: &[Correspondent],
) {
    if let Some(tab) = desk.tab_of(channel)
        && let Some(head) = tab.composer.as_mut().and_then(|composer| composer.header.as_mut())
    {
        head.set_suggestions(text, found.to_vec());
    }
}

/// Pastes into the focused header field. Returns false if no field has the focus.
pub(crate) fn paste_into_header(desk: &mut Desk, outside: &str, context: &Context) -> bool {
    let now = context.moment;
    let is_field = desk.tab().compose_header().is_some_and(|mail_head| mail_head.focus < BODY_FOCUS);
    if !is_field || !desk.is_typing() {
        return false;
    }
    let clean = model::text::clean_pasted(outside).replace('\n', ", ");
    if let Some(composer) = &mut desk.tab_mut().composer {
        composer.edit_header(now, |composer| {
            let at = composer.focus;
            composer.fields[at].insert(clean.trim());
            composer.is_edited = true;
        });
    }
    true
}
