//! Keys of the file read by `serve --config`.

use crate::config::settings::SettingValue::{Number, Text, TextOrTexts, Texts, Word};
use crate::config::settings::{SettingTable, TableForm, setting};
use service::AfterPersonAnswers;

/// Name of the file read by `serve --config`.
pub const SERVICE_FILE: &str = "service.toml";

pub const SERVICE_TABLES: &[SettingTable] = &[
    SettingTable {
        name: SERVICE_FILE,
        form: TableForm::File,
        doc: "What the service is told.",
        settings: &[],
    },
    SettingTable {
        name: "assistant",
        form: TableForm::Within(SERVICE_FILE),
        doc: "What the assistant is told, and what it may use up.",
        settings: &[
            setting("url", Text, "", "The model's address up to its version"),
            setting("model", Text, "", "The model's name there"),
            setting("key_env", Text, "", "The environment variable that holds the key"),
            setting("business", Text, "", "The name of the business"),
            setting("instructions", Text, "", "What the assistant is to do and to leave"),
            setting("tone", Text, "", "How it speaks"),
            setting("facts", Texts, "", "What it may rely on"),
            setting("questions", TextOrTexts, "", "A file of questions and answers, or several"),
            setting(
                "after_person_answers",
                Word(|| AfterPersonAnswers::ALL.map(AfterPersonAnswers::as_str).to_vec()),
                "pause",
                "How long the assistant is silent after a person's message: until it is handed back, or until the customer writes",
            ),
            setting(
                "conversation_tokens",
                Number(1_000, 1_000_000_000),
                "",
                "Tokens for one conversation a day",
            ),
            setting("day_tokens", Number(1_000, 1_000_000_000), "", "Tokens for all conversations a day"),
        ],
    },
];
