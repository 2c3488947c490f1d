use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::desk::Desk;
use crate::event::Effect;
use crate::outside::OutsideRequest;
use crate::screens::history::message_of;
use model::messages::MessageRow;

/// The current mail: the selected one, else the newest of the open thread.
pub fn current_mail(inbox: &Inbox) -> Option<&MessageRow> {
    answered_mail(&inbox.desk)
}

/// [`current_mail`] without the whole inbox: the mail a reply answers.
pub(crate) fn answered_mail(desk: &Desk) -> Option<&MessageRow> {
    let history = desk.tab().history.as_ref().filter(|history| history.loaded)?;
    let row = history.selected_item().and_then(message_of);
    let row = row.or_else(|| history.items.iter().rev().find_map(message_of));
    row.filter(|row| row.mail.is_some())
}

pub(crate) fn toggle_mail_view(inbox: &mut Inbox, html: bool) {
    let both = current_mail(inbox)
        .and_then(|current_letter| current_letter.mail.as_ref())
        .is_some_and(|mail_message| mail_message.plain.is_some() && mail_message.rich.is_some());
    if html && !both {
        return inbox.context.show_notice(
            inbox
                .context
                .fill_in_keys("this mail has only one text; {open-in-browser} shows it in the browser"),
        );
    }
    let Some(history) = &mut inbox.desk.tab_mut().history else { return };
    let view = history.toggle_mail_view(html);
    let words = inbox.context.fill_in_keys(match (html, view.prefers_html, view.unfolded) {
        (true, true, _) => "the HTML as text · {html-view} shows the plain text",
        (true, false, _) => "the plain text · {html-view} shows the HTML's",
        (false, _, true) => "header and quotes unfolded · {quoted-text} folds both",
        (false, _, false) => "header and quotes folded",
    });
    inbox.context.show_notice(words);
}

/// Asks whether to open the current mail in the browser, without scripts or remote content.
pub(crate) fn ask_browser(inbox: &mut Inbox) {
    let Some(row) = current_mail(inbox) else { return };
    let raw = row.message.raw.clone();
    let lines = vec![
        DialogLine::plain("The browser opens a private copy without scripts, forms and remote pictures."),
        DialogLine::plain("Its links are not checked: look before you click."),
    ];
    let open = |inbox: &mut Inbox| inbox.context.push(Effect::Request(OutsideRequest::ShowMail(raw)));
    inbox.context.open(Confirm::new("Open in the browser?", lines).answer('y', "open", open).no("stay"));
}
