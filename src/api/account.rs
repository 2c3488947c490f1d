use serde::{Deserialize, Serialize};

use crate::lenient;
#[cfg(feature = "schema")]
use crate::schema;
use model::account::{Account, EarlierImport, Environment, Platform};
use model::text::SafeText;

/// Response of `GET /account`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Account",
        transform = schema::always("assistantId keyId creditsBalance environment"),
        transform = schema::set("creditsBalance", "minimum", 0),
        transform = schema::allow_words("environment", &Environment::WORDS.join(" "))
    )
)]
pub struct AccountBody {
    /// Stable id of the account.
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// Assistant that the key drives.
    #[serde(default, deserialize_with = "lenient::text")]
    pub assistant_id: Option<String>,
    /// Id of the key of this request.
    #[serde(default, deserialize_with = "lenient::text")]
    pub key_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    pub workspace: WorkspaceBody,
    #[serde(default, deserialize_with = "lenient::object")]
    pub assistant: AssistantBody,
    /// Connected number, on a business chat key.
    #[serde(default, deserialize_with = "lenient::text")]
    pub whatsapp_number: Option<String>,
    /// Credits left.
    #[serde(
        default,
        deserialize_with = "lenient::number",
        serialize_with = "lenient::write_optional_number"
    )]
    pub credits_balance: Option<f64>,
    /// `live` or `test`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub environment: Option<String>,
    /// From the platform operator; present only if the number is fully connected.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub messaging_tier: Option<String>,
    /// From the platform operator; present only if the number is fully connected.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub quality_rating: Option<String>,
    /// True on a bot-chat key whose sends take `buttons`; absent otherwise. Extension of this service.
    #[serde(default, deserialize_with = "lenient::flag", skip_serializing_if = "is_false")]
    pub takes_buttons: bool,
    /// True if sends of audio take `voice`; absent otherwise. Extension of this service.
    #[serde(default, deserialize_with = "lenient::flag", skip_serializing_if = "is_false")]
    pub takes_voice: bool,
    /// True if sends of a picture take `sticker`; absent otherwise. Extension of this service.
    #[serde(default, deserialize_with = "lenient::flag", skip_serializing_if = "is_false")]
    pub takes_stickers: bool,
    /// True if sends of a text take `contact`; absent otherwise. Extension of this service.
    #[serde(default, deserialize_with = "lenient::flag", skip_serializing_if = "is_false")]
    pub takes_contacts: bool,
    /// True if sends of a text take `linkPreview`; absent otherwise. Extension of this service.
    #[serde(default, deserialize_with = "lenient::flag", skip_serializing_if = "is_false")]
    pub takes_link_preview: bool,
    /// Import of messages or mails from before the channel was connected; absent without one. Extension of this
    /// service.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierBody>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct EarlierBody {
    /// Messages or mails already imported.
    pub filed: u64,
    /// Number to import, including those already imported; 0 while unknown.
    pub total: u64,
    /// True if the import is complete.
    pub finished: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        inline,
        transform = schema::always("id")
    )
)]
pub struct WorkspaceBody {
    #[serde(default, deserialize_with = "lenient::text")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub email: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        inline,
        transform = schema::always("id platform"),
        transform = schema::allow_words("platform", "WHATSAPP TELEGRAM EMAIL VOIP WEB")
    )
)]
pub struct AssistantBody {
    #[serde(default, deserialize_with = "lenient::text")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    /// `WHATSAPP`, `TELEGRAM`, `EMAIL`, `VOIP` or `WEB`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub platform: Option<String>,
}

/// Response of `GET /desk/v1`: what the service offers to desks beside the interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DeskService"))]
pub struct DeskServiceBody {
    /// Version of the service.
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub version: String,
    /// Workspace of the key.
    #[serde(default, deserialize_with = "lenient::object")]
    pub workspace: WorkspaceBody,
    /// Extensions below `/desk/v1`, such as `automation`; others may be added.
    #[serde(deserialize_with = "lenient::texts")]
    pub features: Vec<String>,
    /// Why every write with this key is refused; absent if the key may write.
    #[serde(
        default,
        rename = "writesRefused",
        deserialize_with = "lenient::text",
        skip_serializing_if = "Option::is_none"
    )]
    pub writes_refused: Option<String>,
}

/// Feature of [`DeskServiceBody`]: switching the assistant on any channel.
pub const AUTOMATION_FEATURE: &str = "automation";
/// Feature of [`DeskServiceBody`]: claims, notes and tags shared by a team.
pub const TEAM_FEATURE: &str = "team";

impl AccountBody {
    pub fn earlier_import(&self) -> Option<EarlierImport> {
        let earlier = self.earlier?;
        Some(EarlierImport { filed: earlier.filed, is_finished: earlier.finished })
    }

    /// Converts to the model; a missing environment counts as live, to be safe.
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
            takes_buttons: self.takes_buttons,
            takes_voice: self.takes_voice,
            takes_stickers: self.takes_stickers,
            takes_contacts: self.takes_contacts,
            takes_link_preview: self.takes_link_preview,
            id: self.id,
        }
    }
}
