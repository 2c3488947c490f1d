//! The menus of mail: folders and categories that were seen, links, files,
//! and whom mails were exchanged with. Letters narrow a menu, Enter takes the
//! chosen line, or what was typed where anything may stand.

use crate::Inbox;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::screens::mail::reading;
use crate::screens::mail::reading::letter_at_hand;
use model::email::{Correspondent, MailWish, ThreadFilter, files};
use model::ids::ChannelId;
use model::links;
use model::outbox::content::MailAttachmentSource;
use model::selector::Selector;
use model::text::SafeText;

/// Categories offered where none was seen yet.
const CATEGORIES: [&str; 4] = ["support", "billing", "orders", "newsletter"];
/// Folders offered where none was seen yet.
const FOLDERS: [&str; 5] = ["inbox", "archive", "sent", "spam", "trash"];

/// What a menu is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailMenuKind {
    /// Which threads the list shows.
    Show,
    /// What the thread at hand is about.
    Category,
    /// Which link of the mail at hand is opened.
    Link,
    /// Which file of the mail at hand is saved.
    File,
    /// Whom mails were exchanged with.
    Contact,
}

/// One line of a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMenuLine {
    /// Its words.
    pub words: SafeText,
    /// What it stands for.
    pub value: String,
    /// What goes with it.
    pub more: Option<String>,
}

impl MailMenuLine {
    fn new(words: &str, value: &str) -> Self {
        Self { words: SafeText::line(words), value: value.to_owned(), more: None }
    }
}

/// A menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Menu {
    /// What it is for.
    pub kind: MailMenuKind,
    /// Its lines.
    pub entries: Vec<MailMenuLine>,
    /// What was typed.
    pub typed: String,
    /// The chosen line among those that fit.
    pub chosen: usize,
}

impl Menu {
    fn new(kind: MailMenuKind, entries: Vec<MailMenuLine>) -> Self {
        Self { kind, entries, typed: String::new(), chosen: 0 }
    }

    /// The lines in which what was typed stands.
    pub fn fitting(&self) -> Vec<&MailMenuLine> {
        let typed = self.typed.to_lowercase();
        self.entries.iter().filter(|it| it.words.as_str().to_lowercase().contains(&typed)).collect()
    }

    /// Whether anything may stand here.
    fn is_free(&self) -> bool {
        matches!(self.kind, MailMenuKind::Show | MailMenuKind::Category)
    }
}

impl Inbox {
    /// Asks which threads the list shows.
    pub(crate) fn choose_folder(&mut self) {
        let [folders, categories] = &self.tab().mail.words;
        let mut entries = vec![
            MailMenuLine::new("all open", ""),
            MailMenuLine::new("unread", "is:unread"),
            MailMenuLine::new("starred", "is:starred"),
        ];
        let of = |field: &str, seen: &[String], usual: &[&str]| {
            let mut words: Vec<String> = seen.to_vec();
            words.extend(usual.iter().map(|it| (*it).to_owned()).filter(|it| !seen.contains(it)));
            words
                .into_iter()
                .map(|it| MailMenuLine::new(&format!("{field} {it}"), &format!("{field}:{it}")))
                .collect::<Vec<_>>()
        };
        entries.extend(of("folder", folders, &FOLDERS));
        entries.extend(of("category", categories, &[]));
        self.open_layer(Layer::MailMenu(Menu::new(MailMenuKind::Show, entries)));
    }

    /// Asks what the thread at hand is about.
    pub(crate) fn choose_category(&mut self) {
        let seen = &self.tab().mail.words[1];
        let mut words: Vec<String> = seen.clone();
        words.extend(CATEGORIES.iter().map(|it| (*it).to_owned()).filter(|it| !seen.contains(it)));
        let entries = words.iter().map(|it| MailMenuLine::new(it, it)).collect();
        self.open_layer(Layer::MailMenu(Menu::new(MailMenuKind::Category, entries)));
    }

    /// Asks which link is opened; one alone is asked about at once.
    pub(crate) fn choose_link(&mut self) {
        let Some(row) = letter_at_hand(self) else {
            return self.warn("open the mail first");
        };
        let letter = row.letter.as_ref();
        let numbered: Vec<&str> =
            letter.map_or_else(Vec::new, |it| it.links.iter().map(SafeText::as_str).collect());
        let plain = links::first_in(row.message.content.as_str());
        let all: Vec<String> = match numbered.is_empty() {
            true => plain.into_iter().map(str::to_owned).collect(),
            false => numbered.into_iter().map(str::to_owned).collect(),
        };
        let mut entries = Vec::new();
        for (place, url) in all.iter().enumerate() {
            let host = links::host_of(url).unwrap_or_else(|| "cannot be opened".to_owned());
            entries.push(MailMenuLine::new(&format!("[{}] {host}  {url}", place + 1), url));
        }
        match entries.len() {
            0 => self.warn("this mail has no link"),
            1 => self.ask_link(&all[0]),
            _ => self.open_layer(Layer::MailMenu(Menu::new(MailMenuKind::Link, entries))),
        }
    }

    fn ask_link(&mut self, url: &str) {
        match links::host_of(url) {
            Some(host) => self.open_layer(Layer::AskOpen { url: url.to_owned(), host }),
            None => self.warn("its link is no http or https address: it is not opened"),
        }
    }

    /// Asks which file is saved.
    pub(crate) fn choose_file(&mut self) {
        let Some(letter) = letter_at_hand(self).and_then(|it| it.letter.as_ref()) else { return };
        let entries: Vec<MailMenuLine> = letter
            .files
            .iter()
            .enumerate()
            .map(|(place, file)| MailMenuLine::new(&reading::file_line(place, file), &place.to_string()))
            .collect();
        match entries.len() {
            0 => self.say("nothing is attached to this mail"),
            _ => self.open_layer(Layer::MailMenu(Menu::new(MailMenuKind::File, entries))),
        }
    }

    fn save_file(&mut self, place: usize) {
        let Some(row) = letter_at_hand(self) else { return };
        let Some(file) = row.letter.as_ref().and_then(|it| it.files.get(place)) else { return };
        let name = files::safe(file.name.as_str());
        if file.enclosed {
            let source = MailAttachmentSource::Enclosed(u64::try_from(place).unwrap_or(0));
            self.context.push(Effect::Ask(OutsideRequest::SaveFile {
                name,
                raw: row.message.raw.clone(),
                source,
            }));
            return self.say("saving the file");
        }
        match file.url.clone() {
            // It is fetched by the browser, which the person looks at.
            Some(url) => self.ask_link(&url),
            None => self.warn("the server does not tell where this file's bytes are"),
        }
    }

    /// Looks for whom mails were exchanged with.
    pub(crate) fn look_for_contacts(&mut self) {
        self.open_layer(Layer::MailMenu(Menu::new(MailMenuKind::Contact, Vec::new())));
        self.ask_correspondents("");
    }

    /// Asks this desk and the server.
    pub(crate) fn ask_correspondents(&mut self, text: &str) {
        let channel = self.tab().channel.id.clone();
        self.context.push(Effect::Load(Load::Correspondents(channel, text.to_owned())));
        self.fetch_mail(MailWish::Correspondents(text.to_owned()));
    }

    /// Correspondents have come.
    pub(crate) fn correspondents_known(
        &mut self,
        channel: &ChannelId,
        text: &str,
        found: Vec<Correspondent>,
    ) {
        self.offer_correspondents(channel, text, &found);
        if self.tab().channel.id != *channel {
            return;
        }
        if let Some(Layer::MailMenu(menu)) = self.layers.last_mut()
            && menu.kind == MailMenuKind::Contact
            && menu.typed == text
        {
            menu.entries = found.iter().map(contact).collect();
            menu.chosen = menu.chosen.min(menu.entries.len().saturating_sub(1));
        }
    }

    /// A key in a menu.
    pub(crate) fn mail_menu_key(&mut self, mut menu: Menu, key: KeyPress) {
        let count = menu.fitting().len();
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Enter => return self.take_entry(&menu),
            KeyCode::Right if menu.kind == MailMenuKind::Contact => return self.go_to_chat(&menu),
            KeyCode::Up | KeyCode::BackTab => menu.chosen = (menu.chosen + count.max(1) - 1) % count.max(1),
            KeyCode::Down | KeyCode::Tab => menu.chosen = (menu.chosen + 1) % count.max(1),
            KeyCode::Backspace => {
                menu.typed.pop();
                menu.chosen = 0;
            }
            _ => {
                if let Some(it) = key.typed().filter(|_| menu.typed.chars().count() < 100) {
                    menu.typed.push(it);
                    menu.chosen = 0;
                }
            }
        }
        let asked = (menu.kind == MailMenuKind::Contact).then(|| menu.typed.clone());
        self.layers.push(Layer::MailMenu(menu));
        if let Some(text) = asked.filter(|_| key.typed().is_some() || key.code == KeyCode::Backspace) {
            self.ask_correspondents(&text);
        }
    }

    fn take_entry(&mut self, menu: &Menu) {
        let chosen = menu.fitting().get(menu.chosen).map(|it| (*it).clone());
        let typed = menu.typed.trim().to_owned();
        let Some(entry) = chosen
            .or_else(|| (menu.is_free() && !typed.is_empty()).then(|| MailMenuLine::new(&typed, &typed)))
        else {
            return self.layers.push(Layer::MailMenu(menu.clone()));
        };
        match menu.kind {
            MailMenuKind::Show => self.show_threads(&entry.value),
            MailMenuKind::Category => self.set_category(&entry.value),
            MailMenuKind::Link => self.ask_link(&entry.value),
            MailMenuKind::File => self.save_file(entry.value.parse().unwrap_or(0)),
            MailMenuKind::Contact => self.show_threads_with(&entry.value),
        }
    }

    /// Narrows the list, and asks the server for what it can look for itself.
    fn show_threads(&mut self, filter: &str) {
        self.bring_list();
        let words = if filter.contains(':') || filter.is_empty() {
            filter.to_owned()
        } else {
            format!("folder:{filter}")
        };
        let looks_away = words.starts_with("folder:");
        let typed = if looks_away { format!("status:any {words}") } else { words.clone() };
        self.list_mut().set_typed(&typed);
        let asked = server_filter(&words);
        if asked != ThreadFilter::default() {
            self.fetch_mail(MailWish::Threads(asked));
            self.say("asking the server, too");
        }
    }

    /// Goes to the same person on business chat.
    fn go_to_chat(&mut self, menu: &Menu) {
        let phone = menu.fitting().get(menu.chosen).and_then(|it| it.more.clone());
        match phone {
            Some(phone) => self.context.push(Effect::Load(Load::Lookup(Selector::Phone(phone)))),
            None => {
                self.layers.push(Layer::MailMenu(menu.clone()));
                self.warn("no number on business chat is linked to this address");
            }
        }
    }

    /// Shows the threads with someone.
    fn show_threads_with(&mut self, address: &str) {
        self.bring_list();
        self.list_mut().set_typed(&format!("status:any from:{address}"));
    }
}

fn contact(it: &Correspondent) -> MailMenuLine {
    let name = it.name.as_ref().map_or_else(String::new, |name| format!("{name}  "));
    let count = it.count.map_or_else(String::new, |count| {
        if count == 1 { " · 1 mail".to_owned() } else { format!(" · {count} mails") }
    });
    let chat = it.phone.as_ref().map_or_else(String::new, |phone| format!(" · chat {phone}"));
    MailMenuLine {
        words: SafeText::line(&format!("{name}{}{count}{chat}", it.email)),
        value: it.email.to_string(),
        more: it.phone.as_ref().map(ToString::to_string),
    }
}

/// What of a filter line the server can look for.
pub fn server_filter(line: &str) -> ThreadFilter {
    let value = |field: &str| {
        let word = line.split_whitespace().find_map(|it| it.strip_prefix(field))?;
        (!word.is_empty()).then(|| word.trim_matches('"').to_owned())
    };
    ThreadFilter {
        folder: value("folder:"),
        category: value("category:"),
        is_read: line.split_whitespace().any(|it| it == "is:unread").then_some(false),
    }
}
