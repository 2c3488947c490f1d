//! Every key of `config.toml`: type, default, effect. Parsing, the editor schema, the book's page and the
//! manual are generated from these rows.

use inbox::settings::Footer;
use inbox::theme_table_view::ThemeName;
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
    pub required: bool,
    /// Effect, in one sentence.
    pub doc: &'static str,
}

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
        doc: "A channel, shown as a tab. `frontdesk channel add` writes it. At most one of `key_env`, \
              `key_command` and `key_file`; without them, the key stored by `channel add` is used.",
        settings: &[
            required("name", Text, "Name of the tab; drafts and outbox belong to this name"),
            required(
                "base_url",
                Text,
                "Address of the service, such as https://api.example.com/v1; https, except on this machine",
            ),
            setting("key_env", Text, "", "Environment variable with the key"),
            setting("key_command", Text, "", "Shell command that prints the key within 10 seconds"),
            setting(
                "key_file",
                Text,
                "",
                "File with the key: a regular file of mode 0600 that belongs to you; a relative path is beside this file",
            ),
            setting("read_only", Flag, "false", "Change nothing on the server from this tab"),
            setting("pictures", Flag, "false", "Fetch pictures of its messages automatically"),
            setting(
                "draft_only",
                Flag,
                "false",
                "Keep the AI paused in its conversations, and prepare drafts instead",
            ),
            setting(
                "mail_from",
                Text,
                "",
                "Sender of its mails, such as Ana <ana@harbor.example>; without it, the account",
            ),
            setting("mail_signature", Text, "", "Signature below the text of each mail"),
            setting(
                "mail_quote",
                Word(|| QuoteStyle::ALL.iter().map(|quote_style| quote_style.word()).collect()),
                "\"below\"",
                "Place of the quoted mail in a reply: below the text, above it, between its lines, or none",
            ),
            setting(
                "mail_attribution",
                Text,
                "",
                "Line above a quoted mail; {date}, {name}, {address} and {subject} are filled in",
            ),
            targets::CHANNEL_SETTINGS[0],
            targets::CHANNEL_SETTINGS[1],
            setting(
                "service_uid",
                Number(0, 4_294_967_295),
                "",
                "User id of the service, if it runs on this machine as another user",
            ),
        ],
    },
    SettingTable {
        name: "behaviour",
        form: TableForm::Once,
        doc: "Sending and the AI.",
        settings: &[
            setting(
                "pause_on_reply",
                Word(|| vec!["ask", "always", "never"]),
                "\"ask\"",
                "Pause the AI when you reply: ask each time, always, or never",
            ),
            setting(
                "pause_lease_hours",
                Number(0, 168),
                "4",
                "Hours after which you are reminded of a pause of the AI; 0 for never",
            ),
            setting(
                "link_preview",
                Flag,
                "",
                "Show a preview of the first link in your texts, or none; without it, business chat shows none \
                 and bot-chat shows one",
            ),
            setting(
                "brief_on_pause",
                Flag,
                "true",
                "Show a summary of the conversation above the composer when you pause the AI",
            ),
            setting(
                "review_one_in",
                Number(1, 10_000),
                "10",
                "One in this many answers of the AI is put into the review queue; 1 for all",
            ),
        ],
    },
    SettingTable {
        name: "undo_seconds",
        form: TableForm::Within("behaviour"),
        doc: "Seconds during which `z` undoes a send; 0 sends at once.",
        settings: &[
            setting("chat", HOLD_SECONDS, "5", "Chat messages and closing a conversation"),
            setting("email", HOLD_SECONDS, "10", "Mails"),
            setting("broadcast", HOLD_SECONDS, "15", "Broadcasts, before their first wave"),
        ],
    },
    SettingTable {
        name: "writing",
        form: TableForm::Once,
        doc: "Your name and canned replies.",
        settings: &[
            setting(
                "agent",
                Text,
                "",
                "Your name, shown on claims and pauses and as {agent.name} in canned replies",
            ),
            setting("replies", Text, "\"replies\"", "Folder of canned replies, relative to this file"),
        ],
    },
    targets::TABLE,
    SettingTable {
        name: "polling",
        form: TableForm::Once,
        doc: "How often the server is polled.",
        settings: &[
            setting("visible_seconds", PERIOD_SECONDS, "3", "Seconds between polls for the visible tab"),
            setting("background_seconds", PERIOD_SECONDS, "10", "Seconds between polls for the other tabs"),
        ],
    },
    SettingTable {
        name: "ui",
        form: TableForm::Once,
        doc: "The screen.",
        settings: &[
            setting(
                "theme",
                Word(|| ThemeName::WORDS.to_vec()),
                "\"auto\"",
                "Colour theme. `auto` is `light` if COLORFGBG names a light background, else `dark`; `terminal` uses \
                 the terminal's own sixteen colours; NO_COLOR selects `mono`",
            ),
            setting(
                "ascii",
                Flag,
                "",
                "Draw borders and marks in ASCII only; without it, the locale decides",
            ),
            setting("mouse", Flag, "true", "Use the mouse; false leaves it to the terminal; M switches"),
            setting(
                "footer",
                Word(|| Footer::WORDS.to_vec()),
                "\"keys\"",
                "Keys shown in the last line: five, three, or none; F4 changes this setting",
            ),
            setting("title", Flag, "true", "Show the number of waiting customers in the window title"),
            setting(
                "links",
                Word(|| LinkMode::WORDS.to_vec()),
                "\"auto\"",
                "Make addresses clickable links; `auto` leaves out terminals without support",
            ),
            setting(
                "away_minutes",
                Number(0, 1440),
                "30",
                "Minutes without a key press after which you count as away and are told when something happened; \
                 0 for never",
            ),
            setting(
                "pictures",
                Word(|| Graphics::CONFIG_WORDS.to_vec()),
                "\"auto\"",
                "How pictures are drawn; `auto` chooses by the terminal's name",
            ),
            setting(
                "copy_command",
                Texts,
                "[]",
                "Program that receives copies, such as [\"wl-copy\"]; without it, tmux or the terminal",
            ),
        ],
    },
    SettingTable {
        name: "notify",
        form: TableForm::Once,
        doc: "Bell and notifications.",
        settings: &[
            setting("bell", Flag, "true", "Ring the terminal's bell for events that you are not looking at"),
            setting(
                "desktop",
                Word(|| NotifyMethod::WORDS.to_vec()),
                "\"auto\"",
                "How the terminal is asked to show notifications",
            ),
            setting(
                "command",
                Texts,
                "[]",
                "Program that shows notifications, such as [\"notify-send\", \"--\", \"{title}\", \"{body}\"]",
            ),
            setting(
                "quiet",
                Text,
                "",
                "Hours without bell and notifications, in local time, such as \"22:00-07:00\"",
            ),
        ],
    },
    SettingTable {
        name: "voice",
        form: TableForm::Once,
        doc: "Voice notes.",
        settings: &[setting(
            "record",
            Texts,
            "[]",
            "Program that records a voice note into {file} until you end it, such as [\"ffmpeg\", \"-loglevel\", \
             \"error\", \"-f\", \"pulse\", \"-i\", \"default\", \"-ac\", \"1\", \"-c:a\", \"libopus\", \"{file}\"]",
        )],
    },
    assist::TABLE,
    SettingTable {
        name: "receiver",
        form: TableForm::Once,
        doc: "Webhooks for this desk: news arrive at once instead of with the next poll.",
        settings: &[
            required("listen", Text, "Address on which this desk listens, such as 127.0.0.1:8790"),
            required(
                "public_url",
                Text,
                "Address at which the service reaches it; https, except on this machine",
            ),
        ],
    },
    SettingTable {
        name: "views",
        form: TableForm::Repeated,
        doc: "Your own saved view, in addition to the built-in ones.",
        settings: &[
            required("name", Text, "Name, different from those of all other views"),
            required("filter", Text, "Filter, such as status:open from:+34"),
            setting(
                "sort",
                Word(|| Sort::ALL.map(|(_, word, _)| word).to_vec()),
                "\"activity\"",
                "Order of its rows",
            ),
            setting("key", Text, "", "Key in the menu of views: one character"),
        ],
    },
    SettingTable {
        name: "senders",
        form: TableForm::Once,
        doc: "Names for other senders: `api`, `human`, `ai`, or a word of the server, each with the name to show.",
        settings: &[],
    },
    SettingTable {
        name: "macros",
        form: TableForm::Repeated,
        doc: "A macro: steps that a letter plays.",
        settings: &[
            required("letter", Text, "Letter or digit that plays it after m"),
            required(
                "steps",
                Texts,
                "Steps: the name of a command, \":line\", \"type text\" or \"press key\"",
            ),
            setting("key", Text, "", "Key that also plays it"),
        ],
    },
    SettingTable {
        name: "keys",
        form: TableForm::Once,
        doc: "Your own keys: the name of a command with a key, a list of keys, or [] for none.",
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
