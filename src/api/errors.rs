//! Error body and error codes of the API.

use serde::{Deserialize, Serialize};

use crate::lenient;
#[cfg(feature = "schema")]
use crate::schema;

/// Body of every refusal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Error",
        transform = schema::refer("code", "ErrorCode")
    )
)]
pub struct ErrorBody {
    /// Word of an [`ErrorCode`], or one unknown to this version; empty if none could be read.
    #[serde(default, deserialize_with = "lenient::string_or_empty")]
    pub code: String,
    /// Problem in words; names the field if there is one.
    #[serde(default, deserialize_with = "lenient::string_or_empty")]
    pub message: String,
    /// Address of a page with more information.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $status:literal;)*) => {
        /// Error code of the API, or of this service where marked.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[$doc])* $name,)*
        }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$(Self::$name,)*];

            /// Returns the code on the wire.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name),)* _ => None }
            }
        }
    };
}

error_codes! {
    /// Missing or malformed Authorization header.
    InvalidAuth = "INVALID_AUTH", 401;
    /// Key unknown or malformed.
    InvalidKey = "INVALID_KEY", 401;
    RevokedKey = "REVOKED_KEY", 401;
    /// Key lacks the permission.
    Forbidden = "FORBIDDEN", 403;
    InsufficientCredits = "INSUFFICIENT_CREDITS", 402;
    ValidationError = "VALIDATION_ERROR", 400;
    /// The channel is not configured for this workspace.
    NotConfigured = "NOT_CONFIGURED", 400;
    NoRecipients = "NO_RECIPIENTS", 400;
    /// The endpoint did not echo the challenge.
    WebhookVerificationFailed = "WEBHOOK_VERIFICATION_FAILED", 400;
    NotFound = "NOT_FOUND", 404;
    RateLimitExceeded = "RATE_LIMIT_EXCEEDED", 429;
    /// The 24-hour service window expired.
    SessionExpired = "SESSION_EXPIRED", 400;
    /// The number is not on the business chat channel.
    InvalidRecipient = "INVALID_RECIPIENT", 400;
    /// Template rejected by the platform operator.
    TemplateError = "TEMPLATE_ERROR", 400;
    /// Message type not supported for the recipient.
    UnsupportedType = "UNSUPPORTED_TYPE", 400;
    /// The media URL could not be downloaded.
    MediaFetchFailed = "MEDIA_FETCH_FAILED", 400;
    /// The platform operator rejected the uploaded media bytes.
    MediaUploadFailed = "MEDIA_UPLOAD_FAILED", 502;
    /// Same idempotency key with a different body.
    IdempotencyConflict = "IDEMPOTENCY_CONFLICT", 409;
    /// A request with the same key is still in flight.
    IdempotencyInProgress = "IDEMPOTENCY_IN_PROGRESS", 409;
    /// Another person has the conversation, or its claim has changed; this service's choice.
    Claimed = "CLAIMED", 409;
    /// Another person answered after the message that the writer saw last; this service's choice.
    Answered = "ANSWERED", 409;
    /// Platform operator error not covered above.
    WhatsappError = "WHATSAPP_ERROR", 502;
    InternalError = "INTERNAL_ERROR", 500;
    /// Body too large. The API defines only the status 413; the code is this service's choice.
    PayloadTooLarge = "PAYLOAD_TOO_LARGE", 413;
    /// Known path, wrong method; this service's choice.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405;
}
