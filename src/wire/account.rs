//! The account's shape. Interface: Resources, Account.

use serde::{Deserialize, Serialize};

use crate::lenient;
use model::account::{Account, Environment, Platform};
use model::text::SafeText;

/// `GET /account`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// The assistant the key drives.
    #[serde(default, deserialize_with = "lenient::text")]
    pub assistant_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub key_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub workspace: WorkspaceBody,
    #[serde(default, deserialize_with = "lenient::object")]
    pub assistant: AssistantBody,
    #[serde(default, deserialize_with = "lenient::text")]
    pub whatsapp_number: Option<String>,
    #[serde(
        default,
        deserialize_with = "lenient::number",
        serialize_with = "lenient::write_optional_number"
    )]
    pub credits_balance: Option<f64>,
    /// `live` or `test`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub environment: Option<String>,
    /// Only when fully connected.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub messaging_tier: Option<String>,
    /// Only when fully connected.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub quality_rating: Option<String>,
}

/// The account's workspace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkspaceBody {
    #[serde(default, deserialize_with = "lenient::text")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub email: Option<String>,
}

/// The account's assistant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AssistantBody {
    #[serde(default, deserialize_with = "lenient::text")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    /// WHATSAPP, TELEGRAM, EMAIL, VOIP or WEB.
    #[serde(default, deserialize_with = "lenient::text")]
    pub platform: Option<String>,
}

impl AccountBody {
    /// The account in the model's words. An environment that is not told is
    /// taken as live, the careful reading.
    pub fn into_model(self) -> Account {
        let line = |text: &Option<String>| SafeText::optional_line(text.as_deref());
        Account {
            workspace_id: self.workspace.id.clone().unwrap_or_else(|| self.id.clone()),
            workspace_name: line(&self.workspace.name),
            assistant_name: line(&self.assistant.name),
            platform: Platform::from_word(self.assistant.platform.as_deref().unwrap_or("unknown")),
            environment: self
                .environment
                .as_deref()
                .and_then(Environment::from_word)
                .unwrap_or(Environment::Live),
            number: line(&self.whatsapp_number),
            credits: self.credits_balance.unwrap_or(0.0),
            messaging_tier: line(&self.messaging_tier),
            quality_rating: line(&self.quality_rating),
            id: self.id,
        }
    }
}
