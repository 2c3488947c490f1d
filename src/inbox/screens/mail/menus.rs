//! The menus of mail: folders, categories, rules, links, files and correspondents. Letters narrow a
//! menu. Enter takes the selected line, or the typed text in menus that allow any value.

use crate::Inbox;
use crate::components::list::wrapped_selection_after_key;
use crate::components::word_boundaries;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::outside_link;
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::mail::reading::update::current_mail;
use crate::screens::mail::rules::update as rules;
use crate::screens::mail::saving;
use crate::screens::mail::thread_filing::{ThreadFiling, folder_of};
use crate::screens::mail::triage::TriageDecision;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::update as mail;
use crate::screens::mail::writing::update as writing;
use model::email::rules::RuleAction;
use model::email::{Correspondent, MailQuery, ThreadFilter};
use model::ids::ChannelId;
use model::links;
use model::selector::Selector;
use model::text::SafeText;

/// Offered in addition to the categories in use.
const DEFAULT_CATEGORIES: [&str; 4] = ["support", "billing", "orders", "newsletter"];
/// Offered in addition to the folders in use.
const DEFAULT_FOLDERS: [&str; 5] = ["inbox", "archive", "sent", "spam", "trash"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailMenuKind {
    Show,
    Category,
    Destination,
    /// Permanent action for a sender.
    Rule,
    Link,
    File,
    Contact,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMenuLine {
    pub label: SafeText,
    pub value: String,
    pub more: Option<String>,
}

impl MailMenuLine {
    pub(crate) fn new(words: &str, value: &str) -> Self {
        Self { label: SafeText::line(words), value: value.to_owned(), more: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMenu {
    pub kind: MailMenuKind,
    pub entries: Vec<MailMenuLine>,
    pub typed: String,
    /// Index of the selected line among the fitting ones.
    pub chosen: usize,
}

impl MailMenu {
    fn new(kind: MailMenuKind, entries: Vec<MailMenuLine>) -> Self {
        Self { kind, entries, typed: String::new(), chosen: 0 }
    }

    pub(crate) fn for_rules(actions: &[RuleAction]) -> Self {
        let line =
            |rule_action: &RuleAction| MailMenuLine::new(&rule_action.describe(), &rule_action.as_stored());
        Self::new(MailMenuKind::Rule, actions.iter().map(line).collect())
    }

    pub(crate) fn for_files(entries: Vec<MailMenuLine>) -> Self {
        Self::new(MailMenuKind::File, entries)
    }

    pub fn matching_entries(&self) -> Vec<&MailMenuLine> {
        let typed = self.typed.to_lowercase();
        self.entries.iter().filter(|entry| entry.label.as_str().to_lowercase().contains(&typed)).collect()
    }

    fn accepts_any_value(&self) -> bool {
        matches!(self.kind, MailMenuKind::Show | MailMenuKind::Category | MailMenuKind::Destination)
    }
}

impl Overlay for MailMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let count = self.matching_entries().len();
        match key.code {
            KeyCode::Esc => return KeyOutcome::Done,
            KeyCode::Enter => return self.choose_selected(inbox),
            KeyCode::Right if self.kind == MailMenuKind::Contact => return self.go_to_chat(inbox),
            KeyCode::Backspace => {
                match key.ctrl || key.alt {
                    true => word_boundaries::delete_last_word(&mut self.typed),
                    false => drop(self.typed.pop()),
                }
                self.chosen = 0;
            }
            _ => match (wrapped_selection_after_key(key, self.chosen, count), key.typed()) {
                (Some(chosen), _) => self.chosen = chosen,
                (None, Some(character)) if self.typed.chars().count() < 100 => {
                    self.typed.push(character);
                    self.chosen = 0;
                }
                (None, _) => (),
            },
        }
        let asks = key.typed().is_some() || key.code == KeyCode::Backspace;
        if self.kind == MailMenuKind::Contact && asks {
            search_correspondents(&mut inbox.desk, &self.typed, &mut inbox.context);
        }
        KeyOutcome::Stay
    }
}

impl MailMenu {
    fn choose_selected(&self, inbox: &mut Inbox) -> KeyOutcome {
        let chosen = self.matching_entries().get(self.chosen).map(|mail_menu_line| (*mail_menu_line).clone());
        let typed = self.typed.trim();
        let typed = (self.accepts_any_value() && !typed.is_empty()).then(|| MailMenuLine::new(typed, typed));
        let Some(entry) = chosen.or(typed) else { return KeyOutcome::Stay };
        match self.kind {
            MailMenuKind::Show => show_threads(&mut inbox.desk, &entry.value, &mut inbox.context),
            MailMenuKind::Category => inbox.changes.file_chosen(
                ThreadFiling::Category(entry.value.clone()),
                &inbox.desk,
                &mut inbox.context,
            ),
            MailMenuKind::Destination => move_to(inbox, &entry.value),
            MailMenuKind::Rule => {
                if let Some(action) = RuleAction::from_stored(&entry.value) {
                    rules::load_matching_threads(inbox, action);
                }
            }
            MailMenuKind::Link => ask_link(&mut inbox.context, &entry.value),
            MailMenuKind::File => saving::save_chosen(inbox, &entry.value),
            MailMenuKind::Contact => show_threads_with(&mut inbox.desk, &entry.value, &mut inbox.context),
        }
        KeyOutcome::Done
    }

    fn go_to_chat(&self, inbox: &mut Inbox) -> KeyOutcome {
        let phone =
            self.matching_entries().get(self.chosen).and_then(|mail_menu_line| mail_menu_line.more.clone());
        let Some(phone) = phone else {
            inbox.context.show_warning("no business chat number is linked to this address");
            return KeyOutcome::Stay;
        };
        inbox.context.push(Effect::Load(Load::Lookup(Selector::Phone(phone))));
        KeyOutcome::Done
    }
}

pub(crate) fn choose_folder(desk: &mut Desk, context: &mut Context) {
    let [folders, categories] = &desk.tab().mail.folders_and_categories;
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
                MailMenuLine::new(&format!("{field} {word}"), &format!("{field}:{}", quote_word(&word)))
            })
            .collect::<Vec<_>>()
    };
    entries.extend(of("folder", folders, &DEFAULT_FOLDERS));
    entries.extend(of("category", categories, &[]));
    context.open(MailMenu::new(MailMenuKind::Show, entries));
}

pub(crate) fn choose_destination(desk: &mut Desk, context: &mut Context) {
    let here =
        (!bulk_actions::acts_on_marks(desk)).then(|| desk.current_conversation().map(folder_of)).flatten();
    let seen = desk.tab().mail.folders_and_categories[0].iter().map(String::as_str);
    let usual = DEFAULT_FOLDERS.into_iter().filter(|folder| *folder != "sent");
    let mut names: Vec<&str> = Vec::new();
    for name in usual.chain(seen) {
        if here != Some(name) && !names.contains(&name) && name != "sent" {
            names.push(name);
        }
    }
    let entries = names.iter().map(|name| MailMenuLine::new(name, name)).collect();
    context.open(MailMenu::new(MailMenuKind::Destination, entries));
}

pub(crate) fn choose_category(desk: &mut Desk, context: &mut Context) {
    let seen = &desk.tab().mail.folders_and_categories[1];
    let mut words: Vec<String> = seen.clone();
    words.extend(
        DEFAULT_CATEGORIES.iter().map(|category| (*category).to_owned()).filter(|text| !seen.contains(text)),
    );
    let entries = words.iter().map(|word| MailMenuLine::new(word, word)).collect();
    context.open(MailMenu::new(MailMenuKind::Category, entries));
}

pub(crate) fn open_contact_search(desk: &mut Desk, context: &mut Context) {
    context.open(MailMenu::new(MailMenuKind::Contact, Vec::new()));
    search_correspondents(desk, "", context);
}

/// Searches the local store and the server.
pub(crate) fn search_correspondents(desk: &mut Desk, text: &str, context: &mut Context) {
    let channel = desk.tab().channel.id.clone();
    context.push(Effect::Load(Load::Correspondents(channel, text.to_owned())));
    mail::fetch_mail(desk, MailQuery::Correspondents(text.to_owned()), context);
}

/// Shows found correspondents, unless other text was typed meanwhile.
pub(crate) fn receive_correspondents(
    desk: &mut Desk,
    channel: &ChannelId,
    text: &str,
    found: Vec<Correspondent>,
    context: &mut Context,
) {
    writing::offer_correspondents(desk, channel, text, &found);
    if desk.tab().channel.id != *channel {
        return;
    }
    if let Some(menu) = context.overlays.top_mut::<MailMenu>()
        && menu.kind == MailMenuKind::Contact
        && menu.typed == text
    {
        menu.entries = found.iter().map(contact_line).collect();
        menu.chosen = menu.chosen.min(menu.entries.len().saturating_sub(1));
    }
}

/// Narrows the list, and asks the server for filters it supports.
fn show_threads(desk: &mut Desk, filter: &str, context: &mut Context) {
    desk.go_to_list(context);
    let words = if filter.contains(':') || filter.is_empty() {
        filter.to_owned()
    } else {
        format!("folder:{}", quote_word(filter))
    };
    let looks_away = words.starts_with("folder:");
    let typed = if looks_away { format!("status:any {words}") } else { words.clone() };
    desk.list_mut().set_typed_filter(&typed);
    let asked = ThreadFilter::from_filter_line(&words);
    if asked != ThreadFilter::default() {
        mail::fetch_mail(desk, MailQuery::Threads(asked), context);
        context.show_notice("asking the server, too");
    }
}

fn show_threads_with(desk: &mut Desk, address: &str, context: &mut Context) {
    desk.go_to_list(context);
    desk.list_mut().set_typed_filter(&format!("status:any from:{address}"));
}

/// Opens the menu of links; a single link is asked about directly.
pub(crate) fn choose_link(inbox: &mut Inbox) {
    let Some(row) = current_mail(inbox) else {
        return inbox.context.show_warning("open the mail first");
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
        0 => inbox.context.show_warning("no link in this mail"),
        1 => ask_link(&mut inbox.context, &all[0]),
        _ => inbox.context.open(MailMenu::new(MailMenuKind::Link, entries)),
    }
}

pub(crate) fn ask_link(context: &mut Context, url: &str) {
    match links::host_of(url) {
        Some(host) => outside_link::ask_to_open_link(context, url.to_owned(), &host),
        None => context.show_warning("not opened: only http and https links are allowed"),
    }
}

fn contact_line(correspondent: &Correspondent) -> MailMenuLine {
    let name = correspondent.name.as_ref().map_or_else(String::new, |name| format!("{name}  "));
    let count = correspondent.count.map_or_else(String::new, |count| {
        if count == 1 { " · 1 mail".to_owned() } else { format!(" · {count} mails") }
    });
    let chat = correspondent.phone.as_ref().map_or_else(String::new, |phone| format!(" · chat {phone}"));
    MailMenuLine {
        label: SafeText::line(&format!("{name}{}{count}{chat}", correspondent.email)),
        value: correspondent.email.to_string(),
        more: correspondent.phone.as_ref().map(ToString::to_string),
    }
}

fn quote_word(word: &str) -> String {
    if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.to_owned() }
}

fn move_to(inbox: &mut Inbox, folder: &str) {
    let filing = ThreadFiling::Moved(folder.to_owned());
    if triage::is_deciding_in_triage(&inbox.desk) {
        return inbox.changes.file_in_triage(
            &filing,
            TriageDecision::Moved,
            &mut inbox.desk,
            &mut inbox.context,
        );
    }
    inbox.changes.file_chosen(filing, &inbox.desk, &mut inbox.context);
}
