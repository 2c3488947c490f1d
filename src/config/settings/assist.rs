//! Keys of the `[assist]` table.

use crate::config::settings::SettingValue::{Number, Text};
use crate::config::settings::{SettingTable, TableForm, required, setting};

pub const TABLE: SettingTable = SettingTable {
    name: "assist",
    form: TableForm::Once,
    doc: "A model that suggests drafts and briefs; what it makes is shown, never sent. Of `key_env` and `key_command` one \
          at most.",
    settings: &[
        required(
            "url",
            Text,
            "Its address up to its version, https except on this machine, such as http://127.0.0.1:11434/v1",
        ),
        required("model", Text, "Its name there"),
        setting("key_env", Text, "", "The environment variable that holds its key"),
        setting("key_command", Text, "", "A shell command that prints its key"),
        setting(
            "language",
            Text,
            "\"English\"",
            "The language of briefs and translations; drafts are in the customer's",
        ),
        setting("day_tokens", Number(1_000, 1_000_000_000), "200000", "Tokens a day, of all tabs together"),
        setting("tab_tokens", Number(1_000, 1_000_000_000), "", "Tokens a day of each tab"),
        setting("price_in", Text, "", "What a million tokens cost that it is told, such as \"0.15\""),
        setting("price_out", Text, "", "What a million tokens cost that it says"),
        setting("price_minute", Text, "", "What a minute of a voice note costs"),
        setting(
            "day_cost",
            Text,
            "",
            "Money a day, of all tabs together, such as \"2.50\"; needs the prices",
        ),
        setting("tab_cost", Text, "", "Money a day of each tab; needs the prices"),
        setting("currency", Text, "", "The currency of the prices, as it is shown"),
        setting(
            "transcribe_model",
            Text,
            "",
            "The model at the same address that writes voice notes down; without it none is",
        ),
    ],
};
