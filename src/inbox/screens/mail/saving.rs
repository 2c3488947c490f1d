//! Saving attachments of a thread: one file, or all of a mail.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::event::{Effect, TerminalOrder};
use crate::outside::OutsideRequest;
use crate::overlays::outside_link;
use crate::screens::history::message_of;
use crate::screens::mail::menus::{MailMenu, MailMenuLine};
use crate::screens::mail::reading;
use crate::screens::mail::reading::update::current_mail;
use model::email::{MailFile, files};
use model::links;
use model::messages::MessageRow;
use model::outbox::content::MailAttachmentSource;
use model::text::SafeText;

/// Menu value for all files of the current mail.
const ALL_FILES_VALUE: &str = "all";

/// The current mail, then the others of the thread, newest first.
fn thread_mails(inbox: &Inbox) -> Vec<&MessageRow> {
    let current = current_mail(inbox);
    let history = inbox.desk.tab().history.as_ref();
    let items = history.into_iter().flat_map(|history| history.items.iter().rev()).filter_map(message_of);
    let is_current = |message_row: &&MessageRow| {
        current.is_some_and(|current| current.message.id == message_row.message.id)
    };
    current.into_iter().chain(items.filter(|item| !is_current(item) && item.mail.is_some())).collect()
}

fn files_of(row: &MessageRow) -> &[MailFile] {
    row.mail.as_ref().map_or(&[], |letter| &letter.files)
}

/// Opens the menu of the thread's files, those of the current mail first.
pub(crate) fn choose_file(inbox: &mut Inbox) {
    let letters = thread_mails(inbox);
    let mut entries = Vec::new();
    for (at, row) in letters.iter().enumerate() {
        let from = row.mail.as_ref().map_or_else(String::new, |letter| {
            let name = letter.from_name.as_ref().unwrap_or(&letter.from);
            let zone = &inbox.context.settings.zone;
            let day =
                row.written_at().map_or_else(String::new, |written| format!(", {}", written.day_name(zone)));
            if at == 0 { String::new() } else { format!(" · {name}{day}") }
        });
        for (place, file) in files_of(row).iter().enumerate() {
            let words = format!("{}{from}", reading::file_line(place, file));
            entries.push(MailMenuLine::new(&words, &format!("{place} {}", row.message.id)));
        }
    }
    let own = letters.first().map_or(&[][..], |letter| files_of(letter));
    let saved = own.iter().filter(|letter_file| letter_file.enclosed || letter_file.url.is_some()).count();
    if saved > 1 {
        let words = format!("all {saved} that came with this mail");
        entries.insert(own.len(), MailMenuLine::new(&words, ALL_FILES_VALUE));
    }
    match entries.len() {
        0 => inbox.context.show_notice("no files in this thread"),
        _ => inbox.context.open(MailMenu::for_files(entries)),
    }
}

pub(crate) fn save_chosen(inbox: &mut Inbox, chosen: &str) {
    if chosen == ALL_FILES_VALUE {
        return save_all(inbox);
    }
    let Some((place, id)) = chosen.split_once(' ') else { return };
    let letters = thread_mails(inbox);
    let Some(row) = letters.into_iter().find(|letter| letter.message.id.as_str() == id) else { return };
    let place: usize = place.parse().unwrap_or(usize::MAX);
    let Some(file) = files_of(row).get(place) else { return };
    if file.enclosed {
        let request = save_enclosed(inbox, row, place, file);
        inbox.context.push(request);
        return inbox.context.show_notice("saving the file");
    }
    match file.url.clone() {
        Some(url) => {
            let request = save_linked(inbox, file, &url);
            ask_fetch(inbox, request, url);
        }
        None => inbox.context.show_warning("the server gives no link to this file"),
    }
}

/// Asks whether to save or open a linked file; both reveal the request to its host.
fn ask_fetch(inbox: &mut Inbox, request: Effect, url: String) {
    let Some(host) = links::host_of(&url) else {
        return inbox.context.show_warning("not fetched: only http and https links are allowed");
    };
    let mut lines = outside_link::destination_lines("Download from", &url, &host);
    lines.push(DialogLine::plain("Its owner sees the download and your network address."));
    let save = move |inbox: &mut Inbox| {
        inbox.context.push(request);
        inbox.context.show_notice("saving the file");
    };
    let open = move |inbox: &mut Inbox| inbox.context.push(TerminalOrder::OpenLink(url));
    let question = Confirm::new("Save the file?", lines).answer('s', "SAVE it", save);
    inbox.context.open(question.answer('y', "OPEN outside", open).no("neither"));
}

/// Saves all files of the current mail; asks once if some are fetched by link.
fn save_all(inbox: &mut Inbox) {
    let Some(row) = current_mail(inbox) else { return };
    let files = files_of(row);
    let (mut requests, mut hosts) = (Vec::new(), Vec::new());
    for (place, file) in (0..).zip(files) {
        let host = file.url.as_deref().and_then(links::host_of);
        match (file.enclosed, &file.url, host) {
            (true, ..) => requests.push(save_enclosed(inbox, row, place, file)),
            (false, Some(url), Some(host)) => {
                requests.push(save_linked(inbox, file, url));
                hosts.push(host);
            }
            _ => (),
        }
    }
    let (fetched, left) = (hosts.len(), files.len() - requests.len());
    let mut words = format!("saving {} files", requests.len());
    if left > 0 {
        words.push_str(&format!("; the server gives no link to {left}"));
    }
    if fetched == 0 {
        inbox.context.effects.extend(requests);
        return inbox.context.show_notice(words);
    }
    hosts.sort();
    hosts.dedup();
    let mut lines = vec![DialogLine::plain(format!("{fetched} of them are downloaded from"))];
    lines.extend(hosts.into_iter().map(DialogLine::plain));
    lines.push(DialogLine::plain("Its owner sees the downloads and your network address."));
    let save = move |inbox: &mut Inbox| {
        inbox.context.effects.extend(requests);
        inbox.context.show_notice(words);
    };
    inbox.context.open(Confirm::new("Save the files?", lines).answer('s', "SAVE them", save).no("none"));
}

fn save_enclosed(inbox: &Inbox, row: &MessageRow, place: usize, file: &MailFile) -> Effect {
    let source = MailAttachmentSource::Enclosed(u64::try_from(place).unwrap_or(0));
    save_file(inbox, file, row.message.raw.clone(), source)
}

fn save_linked(inbox: &Inbox, file: &MailFile, url: &str) -> Effect {
    save_file(inbox, file, String::new(), MailAttachmentSource::Link(url.to_owned()))
}

fn save_file(inbox: &Inbox, file: &MailFile, raw: String, source: MailAttachmentSource) -> Effect {
    let (channel, name) = (inbox.desk.tab().channel.id.clone(), files::sanitize_name(file.name.as_str()));
    Effect::Request(OutsideRequest::SaveFile { channel, name, raw, source })
}

pub(crate) fn header_id(inbox: &Inbox) -> Option<SafeText> {
    let id = current_mail(inbox)?.mail.as_ref()?.header_id.as_deref()?;
    Some(SafeText::line(id)).filter(|text| !text.is_empty())
}
