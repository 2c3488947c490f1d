//! Every key of `config.toml`: type, default, effect. Parsing, the editor schema, the book's page and the
//! manual are generated from these rows.

use inbox::palette_view::ThemePalette;
use inbox::settings::Footer;
use model::email::quoting::QuoteStyle;
use model::filter::Sort;
use model::pictures::Graphics;

use crate::config::targets;
use crate::shell::links::LinkMode;
use crate::shell::notify::NotifyMethod;

#[derive(Debug)]
pub struct SettingTable {
    /// Name without brackets.
    pub name: &'static str,
    /// Number of occurrences in the file.
    pub form: TableForm,
    pub doc: &'static str,
    /// Keys of the table; empty if they are free.
    pub settings: &'static [Setting],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// `[name]`, at most once.
    Once,
    /// `[[name]]`, repeated.
    Repeated,
    /// Inside another table, as `name = { … }`.
    Within(&'static str),
    /// A file of its own besides `config.toml`.
    File,
}

#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub key: &'static str,
    pub value: SettingValue,
    /// Default value in TOML syntax; empty if none.
    pub default: &'static str,
    /// True if the table requires it.
    pub required: bool,
    /// Effect, in one sentence.
    pub doc: &'static str,
}

/// Type of a key.
#[derive(Debug, Clone, Copy)]
pub enum SettingValue {
    Text,
    Flag,
    /// Whole number, both bounds inclusive.
    Number(i64, i64),
    Word(fn() -> Vec<&'static str>),
    Texts,
    TextOrTexts,
}

mod assist;
mod service;

pub use service::{SERVICE_FILE, SERVICE_TABLES};

use SettingValue::{Flag, Number, Text, TextOrTexts, Texts, Word};

pub(super) const fn setting(
    key: &'static str,
    value: SettingValue,
    default: &'static str,
    doc: &'static str,
) -> Setting {
    Setting { key, value, default, required: false, doc }
}

const fn required(key: &'static str, value: SettingValue, doc: &'static str) -> Setting {
    Setting { key, value, default: "", required: true, doc }
}

/// Undo times, in seconds.
const HOLD_SECONDS: SettingValue = Number(0, 3600);
/// Poll intervals, in seconds.
const PERIOD_SECONDS: SettingValue = Number(1, 3600);

/// Tables in their usual order.
pub const TABLES: &[SettingTable] = &[
    SettingTable {
        name: "channel",
        form: TableForm::Repeated,
        doc: "A tab: one key of the service. `frontdesk channel add` writes it. Of `key_env`, `key_command` and `key_file` \
              one at most; without any, the key is the one that `channel add` kept.",
        settings: &[
            required("name", Text, "The tab's name; drafts and the outbox belong to it"),
            required(
                "base_url",
                Text,
                "Where the service is, https except on this machine, such as https://api.example.com/v1",
            ),
            setting("key_env", Text, "", "The environment variable that holds the key"),
            setting("key_command", Text, "", "A shell command that prints the key"),
            setting(
                "key_file",
                Text,
                "",
                "The file that holds the key: a plain file of mode 0600, yours alone",
            ),
            setting("read_only", Flag, "false", "Change nothing from this tab"),
            setting("pictures", Flag, "false", "Fetch the pictures of its messages without asking"),
            setting(
                "draft_only",
                Flag,
                "false",
                "Keep the AI paused in its conversations, and have a draft ready instead",
            ),
            setting(
                "mail_from",
                Text,
                "",
                "What its mails name as sender, such as Ana <ana@harbor.example>; else the account",
            ),
            setting("mail_signature", Text, "", "What stands below the text of each mail from the start"),
            setting(
                "mail_quote",
                Word(|| QuoteStyle::ALL.iter().map(|quote_style| quote_style.word()).collect()),
                "\"below\"",
                "Where an answer quotes the mail it answers: below its text, above it, between its lines or not at all",
            ),
            setting(
                "mail_attribution",
                Text,
                "",
                "The line over a quote; {date}, {name}, {address} and {subject} are filled in",
            ),
            targets::CHANNEL_SETTINGS[0],
            targets::CHANNEL_SETTINGS[1],
            setting(
                "service_uid",
                Number(0, 4_294_967_295),
                "",
                "The user the service runs as, where it runs on this machine as another user",
            ),
        ],
    },
    SettingTable {
        name: "behaviour",
        form: TableForm::Once,
        doc: "What sending does.",
        settings: &[
            setting(
                "pause_on_reply",
                Word(|| vec!["ask", "always", "never"]),
                "\"ask\"",
                "Whether a reply pauses the AI: ask each time, always, or send beside it",
            ),
            setting(
                "pause_lease_hours",
                Number(0, 168),
                "4",
                "Hours after which a pause of the AI asks whether it is still wanted; 0 never asks",
            ),
            setting(
                "brief_on_pause",
                Flag,
                "true",
                "Whether pausing the AI shows a brief of the conversation above the composer",
            ),
            setting(
                "review_one_in",
                Number(1, 10_000),
                "10",
                "Of so many answers of the AI one comes into the review queue; 1 takes all",
            ),
        ],
    },
    SettingTable {
        name: "undo_seconds",
        form: TableForm::Within("behaviour"),
        doc: "How long each is held before it leaves, and `z` takes it back; 0 sends at once.",
        settings: &[
            setting("chat", HOLD_SECONDS, "5", "Seconds for a chat message or a close"),
            setting("email", HOLD_SECONDS, "10", "Seconds for a mail"),
            setting("broadcast", HOLD_SECONDS, "15", "Seconds for a broadcast, before its first wave"),
        ],
    },
    SettingTable {
        name: "writing",
        form: TableForm::Once,
        doc: "Who writes, and how.",
        settings: &[
            setting("agent", Text, "", "Your name: on claims and pauses, and {agent.name} in canned replies"),
            setting(
                "replies",
                Text,
                "\"replies\"",
                "The folder of canned replies, beside this file unless it is a whole path",
            ),
        ],
    },
    targets::TABLE,
    SettingTable {
        name: "polling",
        form: TableForm::Once,
        doc: "How often the server is asked for news.",
        settings: &[
            setting("visible_seconds", PERIOD_SECONDS, "3", "Seconds between looks for the tab on screen"),
            setting("background_seconds", PERIOD_SECONDS, "10", "Seconds between looks for the other tabs"),
        ],
    },
    SettingTable {
        name: "ui",
        form: TableForm::Once,
        doc: "The screen.",
        settings: &[
            setting(
                "theme",
                Word(|| ThemePalette::WORDS.to_vec()),
                "\"auto\"",
                "The colours; `auto` is `light` where COLORFGBG names a light ground, else `dark`, and NO_COLOR means `mono`",
            ),
            setting("ascii", Flag, "false", "Draw borders and marks in ASCII only"),
            setting("mouse", Flag, "true", "Read the mouse; false leaves it to the terminal, and M switches"),
            setting(
                "footer",
                Word(|| Footer::WORDS.to_vec()),
                "\"keys\"",
                "Keys in the last line: as many as fit, the three most useful, or none; F4 changes it here",
            ),
            setting("title", Flag, "true", "Say in the terminal window's title how many customers wait"),
            setting(
                "links",
                Word(|| LinkMode::WORDS.to_vec()),
                "\"auto\"",
                "Make addresses links of the terminal; `auto` leaves out terminals that do not take them",
            ),
            setting(
                "away_minutes",
                Number(0, 1440),
                "30",
                "Minutes without a key after which you were away, and are offered what happened since; 0 never",
            ),
            setting(
                "pictures",
                Word(|| Graphics::CONFIG_WORDS.to_vec()),
                "\"auto\"",
                "How pictures are drawn; `auto` asks the terminal's name",
            ),
            setting(
                "copy_command",
                Texts,
                "[]",
                "A program that takes copies, such as [\"wl-copy\"]; else tmux or the terminal takes them",
            ),
        ],
    },
    SettingTable {
        name: "notify",
        form: TableForm::Once,
        doc: "How the desk makes itself heard.",
        settings: &[
            setting("bell", Flag, "true", "Ring the terminal's bell for what nobody looks at"),
            setting(
                "desktop",
                Word(|| NotifyMethod::WORDS.to_vec()),
                "\"auto\"",
                "How the terminal shows notifications",
            ),
            setting(
                "command",
                Texts,
                "[]",
                "A program that shows them, such as [\"notify-send\", \"--\", \"{title}\", \"{body}\"]",
            ),
            setting("quiet", Text, "", "Hours with neither, local time, such as \"22:00-07:00\""),
        ],
    },
    assist::TABLE,
    SettingTable {
        name: "receiver",
        form: TableForm::Once,
        doc: "Webhooks of this desk's own: news comes at once instead of with the next look.",
        settings: &[
            required("listen", Text, "Where this desk listens, such as 127.0.0.1:8790"),
            required("public_url", Text, "How the service reaches that, https except on this machine"),
        ],
    },
    SettingTable {
        name: "views",
        form: TableForm::Repeated,
        doc: "A saved view of your own, beside the shipped ones.",
        settings: &[
            required("name", Text, "Its name, unlike any other view's"),
            required("filter", Text, "The words of a filter, such as status:open from:+34"),
            setting(
                "sort",
                Word(|| Sort::ALL.map(|(_, word, _)| word).to_vec()),
                "\"activity\"",
                "The order of its rows",
            ),
            setting("key", Text, "", "Its key in the menu of views: one character"),
        ],
    },
    SettingTable {
        name: "senders",
        form: TableForm::Once,
        doc: "What you call who else speaks: `api`, `human`, `ai`, or the server's own word, each with a name.",
        settings: &[],
    },
    SettingTable {
        name: "macros",
        form: TableForm::Repeated,
        doc: "A macro, beside those recorded with Q.",
        settings: &[
            required("letter", Text, "The letter or digit that plays it after m"),
            required(
                "steps",
                Texts,
                "What it does: a command's name, \":line\", \"type text\", \"press key\"",
            ),
            setting("key", Text, "", "A key that plays it, too"),
        ],
    },
    SettingTable {
        name: "keys",
        form: TableForm::Once,
        doc: "Keys of your own: the name of a command, with a key, a list of keys, or [] for none.",
        settings: &[],
    },
];

impl SettingTable {
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().chain(SERVICE_TABLES).find(|table| table.name == name)
    }

    /// Keys and subtables of a table; for the file itself, which has no name, its tables.
    pub fn keys(name: &str) -> Vec<&'static str> {
        let own = Self::named(name)
            .map_or(&[][..], |setting_table| setting_table.settings)
            .iter()
            .map(|setting| setting.key);
        let within = TABLES.iter().chain(SERVICE_TABLES).filter(|setting_table| match setting_table.form {
            TableForm::Within(table) => table == name,
            TableForm::File => false,
            TableForm::Once | TableForm::Repeated => name.is_empty(),
        });
        own.chain(within.map(|within| within.name)).collect()
    }

    pub fn setting(name: &str, key: &str) -> Option<&'static Setting> {
        Self::named(name)?.settings.iter().find(|setting| setting.key == key)
    }

    /// Heading as written in the file.
    pub fn heading(&self) -> String {
        match self.form {
            TableForm::Once => format!("[{}]", self.name),
            TableForm::Repeated => format!("[[{}]]", self.name),
            TableForm::Within(table) => format!("[{table}.{}]", self.name),
            TableForm::File => self.name.to_owned(),
        }
    }
}

impl Setting {
    /// Allowed values, as text.
    pub fn describe_value(&self) -> String {
        match self.value {
            Text => "text".to_owned(),
            Flag => "true or false".to_owned(),
            Number(from, to) => format!("{from} to {to}"),
            Word(words) => words().iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(", "),
            Texts => "list of texts".to_owned(),
            TextOrTexts => "text, or list of texts".to_owned(),
        }
    }

    /// Default, as text.
    pub fn describe_default(&self) -> &'static str {
        match (self.required, self.default) {
            (true, _) => "required",
            (false, "") => "none",
            (false, default) => default,
        }
    }
}

#[cfg(test)]
mod tests;
