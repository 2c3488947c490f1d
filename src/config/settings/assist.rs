//! Keys of the `[assist]` table.

use crate::config::settings::SettingValue::{Number, Text};
use crate::config::settings::{SettingTable, TableForm, required, setting};

pub const TABLE: SettingTable = SettingTable {
    name: "assist",
    form: TableForm::Once,
    doc: "A model that suggests drafts and summaries; its texts are shown, never sent. At most one of `key_env` \
          and `key_command`.",
    settings: &[
        required(
            "url",
            Text,
            "Address of the model including its version, such as http://127.0.0.1:11434/v1; https, except on this \
             machine",
        ),
        required("model", Text, "Name of the model"),
        setting("key_env", Text, "", "Environment variable with its key"),
        setting("key_command", Text, "", "Shell command that prints its key"),
        setting(
            "language",
            Text,
            "\"English\"",
            "Language of summaries and translations; drafts are in the customer's language",
        ),
        setting("day_tokens", Number(1_000, 1_000_000_000), "200000", "Tokens a day for all tabs together"),
        setting("tab_tokens", Number(1_000, 1_000_000_000), "", "Tokens a day for each tab"),
        setting("price_in", Text, "", "Price of a million input tokens, such as \"0.15\""),
        setting("price_out", Text, "", "Price of a million output tokens"),
        setting("price_minute", Text, "", "Price of a minute of a voice note"),
        setting(
            "day_cost",
            Text,
            "",
            "Maximum cost a day for all tabs together, such as \"2.50\"; needs the prices",
        ),
        setting("tab_cost", Text, "", "Maximum cost a day for each tab; needs the prices"),
        setting("currency", Text, "", "Currency of the prices, as it is shown"),
        setting(
            "transcribe_model",
            Text,
            "",
            "Model at the same address that transcribes voice notes; without it, none are transcribed",
        ),
    ],
};
