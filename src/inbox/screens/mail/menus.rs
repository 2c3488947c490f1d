//! The menus of mail: folders and categories that were seen, links, files,
//! and whom mails were exchanged with. Letters narrow a menu, Enter takes the
//! chosen line, or what was typed where anything may stand.

use crate::Inbox;
use crate::components::list::turned;
use crate::components::words;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::outside_link;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::mail::reading::update::current_letter;
use crate::screens::mail::rules::update as rules;
use crate::screens::mail::saving;
use crate::screens::mail::thread_filing::{ThreadFiling, folder_of};
use crate::screens::mail::triage::TriageDecision;
use model::email::rules::RuleAction;
use model::email::{Correspondent, MailQuery, ThreadFilter};
use model::ids::ChannelId;
use model::links;
use model::selector::Selector;
use model::text::SafeText;

/// Categories offered where none was seen yet.
const CATEGORIES: [&str; 4] = ["support", "billing", "orders", "newsletter"];
/// Folders offered where none was seen yet.
const FOLDERS: [&str; 5] = ["inbox", "archive", "sent", "spam", "trash"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailMenuKind {
    /// Which threads the list shows.
    Show,
    /// What the current thread is about.
    Category,
    /// Where the current thread, or what is marked, is moved.
    Destination,
    /// What is always done with a sender.
    Rule,
    /// Which link of the current mail is opened.
    Link,
    /// Which file of the thread is saved.
    File,
    Contact,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMenuLine {
    pub words: SafeText,
    pub value: String,
    pub more: Option<String>,
}

impl MailMenuLine {
    pub(crate) fn new(words: &str, value: &str) -> Self {
        Self { words: SafeText::line(words), value: value.to_owned(), more: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Menu {
    pub kind: MailMenuKind,
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

    /// What a rule could do.
    pub(crate) fn of_rules(actions: &[RuleAction]) -> Self {
        let line =
            |rule_action: &RuleAction| MailMenuLine::new(&rule_action.describe(), &rule_action.as_stored());
        Self::new(MailMenuKind::Rule, actions.iter().map(line).collect())
    }

    /// Files that can be saved.
    pub(crate) fn of_files(entries: Vec<MailMenuLine>) -> Self {
        Self::new(MailMenuKind::File, entries)
    }

    /// The lines in which what was typed stands.
    pub fn fitting(&self) -> Vec<&MailMenuLine> {
        let typed = self.typed.to_lowercase();
        self.entries.iter().filter(|entry| entry.words.as_str().to_lowercase().contains(&typed)).collect()
    }

    /// Whether anything may stand here.
    fn is_free(&self) -> bool {
        matches!(self.kind, MailMenuKind::Show | MailMenuKind::Category | MailMenuKind::Destination)
    }
}

impl Overlay for Menu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let count = self.fitting().len();
        match key.code {
            KeyCode::Esc => return KeyOutcome::Done,
            KeyCode::Enter => return self.choose_selected(inbox),
            KeyCode::Right if self.kind == MailMenuKind::Contact => return self.go_to_chat(inbox),
            KeyCode::Backspace => {
                match key.ctrl || key.alt {
                    true => words::delete_last(&mut self.typed),
                    false => drop(self.typed.pop()),
                }
                self.chosen = 0;
            }
            _ => match (turned(key, self.chosen, count), key.typed()) {
                (Some(chosen), _) => self.chosen = chosen,
                (None, Some(it)) if self.typed.chars().count() < 100 => {
                    self.typed.push(it);
                    self.chosen = 0;
                }
                (None, _) => (),
            },
        }
        let asks = key.typed().is_some() || key.code == KeyCode::Backspace;
        if self.kind == MailMenuKind::Contact && asks {
            inbox.desk.ask_correspondents(&self.typed, &mut inbox.context);
        }
        KeyOutcome::Stay
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        if self.kind == MailMenuKind::Contact {
            let called =
                self.entries.iter().filter_map(|entry| entry.words.as_str().split(&entry.value).next());
            called.for_each(|text| names.add(text));
        }
    }
}

impl Menu {
    /// Takes the chosen line, or what was typed where anything may stand.
    fn choose_selected(&self, inbox: &mut Inbox) -> KeyOutcome {
        let chosen = self.fitting().get(self.chosen).map(|mail_menu_line| (*mail_menu_line).clone());
        let typed = self.typed.trim();
        let typed = (self.is_free() && !typed.is_empty()).then(|| MailMenuLine::new(typed, typed));
        let Some(entry) = chosen.or(typed) else { return KeyOutcome::Stay };
        match self.kind {
            MailMenuKind::Show => inbox.desk.show_threads(&entry.value, &mut inbox.context),
            MailMenuKind::Category => inbox.changes.file_chosen(
                ThreadFiling::Category(entry.value.clone()),
                &inbox.desk,
                &mut inbox.context,
            ),
            MailMenuKind::Destination => move_to(inbox, &entry.value),
            MailMenuKind::Rule => {
                if let Some(action) = RuleAction::from_stored(&entry.value) {
                    rules::review(inbox, action);
                }
            }
            MailMenuKind::Link => ask_link(&mut inbox.context, &entry.value),
            MailMenuKind::File => saving::save(inbox, &entry.value),
            MailMenuKind::Contact => inbox.desk.show_threads_with(&entry.value, &mut inbox.context),
        }
        KeyOutcome::Done
    }

    /// Goes to the same person on business chat.
    fn go_to_chat(&self, inbox: &mut Inbox) -> KeyOutcome {
        let phone = self.fitting().get(self.chosen).and_then(|mail_menu_line| mail_menu_line.more.clone());
        let Some(phone) = phone else {
            inbox.context.warn("no number on business chat is linked to this address");
            return KeyOutcome::Stay;
        };
        inbox.context.push(Effect::Load(Load::Lookup(Selector::Phone(phone))));
        KeyOutcome::Done
    }
}

impl Desk {
    /// Asks which threads the list shows.
    pub(crate) fn choose_folder(&mut self, context: &mut Context) {
        let [folders, categories] = &self.tab().mail.words;
        let mut entries = vec![
            MailMenuLine::new("all open", ""),
            MailMenuLine::new("unread", "is:unread"),
            MailMenuLine::new("starred", "is:starred"),
        ];
        let of = |field: &str, seen: &[String], usual: &[&str]| {
            let mut words: Vec<String> = seen.to_vec();
            words.extend(usual.iter().map(|text| (*text).to_owned()).filter(|text| !seen.contains(text)));
            words
                .into_iter()
                .map(|word| {
                    MailMenuLine::new(&format!("{field} {word}"), &format!("{field}:{}", quoted(&word)))
                })
                .collect::<Vec<_>>()
        };
        entries.extend(of("folder", folders, &FOLDERS));
        entries.extend(of("category", categories, &[]));
        context.open(Menu::new(MailMenuKind::Show, entries));
    }

    /// Asks into which folder the current thread, or what is marked, is moved.
    pub(crate) fn choose_destination(&mut self, context: &mut Context) {
        let here = (!self.acts_on_marks()).then(|| self.current_conversation().map(folder_of)).flatten();
        let seen = self.tab().mail.words[0].iter().map(String::as_str);
        let usual = FOLDERS.into_iter().filter(|folder| *folder != "sent");
        let mut names: Vec<&str> = Vec::new();
        for name in usual.chain(seen) {
            if here != Some(name) && !names.contains(&name) && name != "sent" {
                names.push(name);
            }
        }
        let entries = names.iter().map(|name| MailMenuLine::new(name, name)).collect();
        context.open(Menu::new(MailMenuKind::Destination, entries));
    }

    /// Asks what the current thread is about.
    pub(crate) fn choose_category(&mut self, context: &mut Context) {
        let seen = &self.tab().mail.words[1];
        let mut words: Vec<String> = seen.clone();
        words.extend(
            CATEGORIES.iter().map(|category| (*category).to_owned()).filter(|text| !seen.contains(text)),
        );
        let entries = words.iter().map(|word| MailMenuLine::new(word, word)).collect();
        context.open(Menu::new(MailMenuKind::Category, entries));
    }

    /// Looks for correspondents.
    pub(crate) fn look_for_contacts(&mut self, context: &mut Context) {
        context.open(Menu::new(MailMenuKind::Contact, Vec::new()));
        self.ask_correspondents("", context);
    }

    /// Asks this desk and the server.
    pub(crate) fn ask_correspondents(&mut self, text: &str, context: &mut Context) {
        let channel = self.tab().channel.id.clone();
        context.push(Effect::Load(Load::Correspondents(channel, text.to_owned())));
        self.fetch_mail(MailQuery::Correspondents(text.to_owned()), context);
    }

    /// Correspondents have come.
    pub(crate) fn correspondents_known(
        &mut self,
        channel: &ChannelId,
        text: &str,
        found: Vec<Correspondent>,
        context: &mut Context,
    ) {
        self.offer_correspondents(channel, text, &found);
        if self.tab().channel.id != *channel {
            return;
        }
        if let Some(menu) = context.layers.top_mut::<Menu>()
            && menu.kind == MailMenuKind::Contact
            && menu.typed == text
        {
            menu.entries = found.iter().map(contact).collect();
            menu.chosen = menu.chosen.min(menu.entries.len().saturating_sub(1));
        }
    }

    /// Narrows the list, and asks the server for what it can look for itself.
    fn show_threads(&mut self, filter: &str, context: &mut Context) {
        self.bring_list(context);
        let words = if filter.contains(':') || filter.is_empty() {
            filter.to_owned()
        } else {
            format!("folder:{}", quoted(filter))
        };
        let looks_away = words.starts_with("folder:");
        let typed = if looks_away { format!("status:any {words}") } else { words.clone() };
        self.list_mut().set_typed(&typed);
        let asked = ThreadFilter::from_filter_line(&words);
        if asked != ThreadFilter::default() {
            self.fetch_mail(MailQuery::Threads(asked), context);
            context.say("asking the server, too");
        }
    }

    /// Shows the threads with someone.
    fn show_threads_with(&mut self, address: &str, context: &mut Context) {
        self.bring_list(context);
        self.list_mut().set_typed(&format!("status:any from:{address}"));
    }
}

/// Asks which link is opened; one alone is asked about at once.
pub(crate) fn choose_link(inbox: &mut Inbox) {
    let Some(row) = current_letter(inbox) else {
        return inbox.context.warn("open the mail first");
    };
    let letter = row.mail.as_ref();
    let numbered: Vec<&str> =
        letter.map_or_else(Vec::new, |letter| letter.links.iter().map(SafeText::as_str).collect());
    let plain = links::first_link(row.message.content.as_str());
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
        0 if letter.is_some_and(|letter| !letter.files.is_empty()) => saving::choose_file(inbox),
        0 => inbox.context.warn("this mail has no link"),
        1 => ask_link(&mut inbox.context, &all[0]),
        _ => inbox.context.open(Menu::new(MailMenuKind::Link, entries)),
    }
}

pub(crate) fn ask_link(context: &mut Context, url: &str) {
    match links::host_of(url) {
        Some(host) => outside_link::ask_open_outside(context, url.to_owned(), &host),
        None => context.warn("its link is no http or https address: it is not opened"),
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

/// A word of a filter line; in quotes where it has a blank.
fn quoted(word: &str) -> String {
    if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.to_owned() }
}

/// Moves the current thread, or what is marked, into a folder.
fn move_to(inbox: &mut Inbox, folder: &str) {
    let filing = ThreadFiling::Moved(folder.to_owned());
    if inbox.desk.decides_in_triage() {
        return inbox.changes.triage_file(
            &filing,
            TriageDecision::Moved,
            &mut inbox.desk,
            &mut inbox.context,
        );
    }
    inbox.changes.file_chosen(filing, &inbox.desk, &mut inbox.context);
}
