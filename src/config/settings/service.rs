//! Keys of the file read by `serve --config`.

use crate::config::settings::SettingValue::{self, Flag, Number, Text, TextOrTexts, Texts};
use crate::config::settings::{SettingTable, TableForm, setting};

pub const SERVICE_FILE: &str = "service.toml";

const KEPT_DAYS: SettingValue = Number(0, 36_500);

pub const SERVICE_TABLES: &[SettingTable] = &[
    SettingTable {
        name: SERVICE_FILE,
        form: TableForm::File,
        doc: "Configuration of the service.",
        settings: &[],
    },
    SettingTable {
        name: "assistant",
        form: TableForm::Within(SERVICE_FILE),
        doc: "The assistant: its model, facts and limits.",
        settings: &[
            setting("url", Text, "", "Address of the model, including its version"),
            setting("model", Text, "", "Name of the model"),
            setting("key_env", Text, "", "Environment variable with the model's key"),
            setting("business", Text, "", "Name of the business"),
            setting("instructions", Text, "", "Instructions: what the assistant may and may not do"),
            setting("tone", Text, "", "Tone of its answers"),
            setting("facts", Texts, "", "Facts it may rely on"),
            setting("questions", TextOrTexts, "", "File with questions and answers, or a list of files"),
            setting(
                "pause_when_answered_elsewhere",
                Flag,
                "true",
                "Pause the assistant in a conversation that a person answers, here or with another program, until \
                 it is handed back; with false it is silent until the customer writes",
            ),
            setting(
                "conversation_tokens",
                Number(1_000, 1_000_000_000),
                "",
                "Maximum tokens for one conversation in a day",
            ),
            setting(
                "day_tokens",
                Number(1_000, 1_000_000_000),
                "",
                "Maximum tokens for all conversations in a day",
            ),
            setting(
                "price_in",
                Text,
                "",
                "Price of a million input tokens, such as \"0.15\", for the metrics",
            ),
            setting("price_out", Text, "", "Price of a million output tokens"),
        ],
    },
    SettingTable {
        name: "retention",
        form: TableForm::Within(SERVICE_FILE),
        doc: "How long the service keeps old data, in days; 0 keeps it for good. \
              `frontdesk admin retention plan` counts what would be removed.",
        settings: &[
            setting(
                "messages",
                KEPT_DAYS,
                "0",
                "Messages, mails and broadcasts, with their files and events, and orders and appointments",
            ),
            setting("media", KEPT_DAYS, "0", "Uploaded files and files from platforms"),
            setting("events", KEPT_DAYS, "30", "Events that every webhook got"),
            setting(
                "deliveries",
                KEPT_DAYS,
                "30",
                "The log of deliveries, and events that a webhook did not get",
            ),
            setting("logs", KEPT_DAYS, "90", "The audit log and the log of Data Connections"),
        ],
    },
    SettingTable {
        name: "team",
        form: TableForm::Within(SERVICE_FILE),
        doc: "What people of the team do.",
        settings: &[setting(
            "typing_sign",
            Flag,
            "true",
            "Show customers that a person types, on WhatsApp and Telegram",
        )],
    },
];
