//! The error body and every error code of the interface.
//!
//! Interface: Errors.

use serde::{Deserialize, Serialize};

/// The body of every refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// One of the words of [`ErrorCode`], or one this version does not know.
    pub code: String,
    /// What went wrong, in words.
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $status:literal;)*) => {
        /// A row of the interface's error table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[$doc])* $name,)*
        }

        impl ErrorCode {
            /// All rows of the table.
            pub const ALL: &'static [ErrorCode] = &[$(Self::$name,)*];

            /// The word on the wire.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// The HTTP status it is sent with.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            /// Reads the word on the wire.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name),)* _ => None }
            }
        }
    };
}

error_codes! {
    /// Missing or malformed Authorization header.
    InvalidAuth = "INVALID_AUTH", 401;
    /// Key unknown or wrongly formatted.
    InvalidKey = "INVALID_KEY", 401;
    RevokedKey = "REVOKED_KEY", 401;
    /// Key not authorized for the resource.
    Forbidden = "FORBIDDEN", 403;
    /// Balance too low for the action.
    InsufficientCredits = "INSUFFICIENT_CREDITS", 402;
    ValidationError = "VALIDATION_ERROR", 400;
    /// The channel is not configured for this workspace.
    NotConfigured = "NOT_CONFIGURED", 400;
    /// Broadcast has no valid recipients.
    NoRecipients = "NO_RECIPIENTS", 400;
    /// The endpoint did not echo the challenge.
    WebhookVerificationFailed = "WEBHOOK_VERIFICATION_FAILED", 400;
    /// Resource does not exist.
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
    /// Platform operator error not covered above.
    WhatsappError = "WHATSAPP_ERROR", 502;
    /// Unexpected server error.
    InternalError = "INTERNAL_ERROR", 500;
    /// Body larger than its bound. The interface gives only the status 413;
    /// the word is this service's choice.
    PayloadTooLarge = "PAYLOAD_TOO_LARGE", 413;
    /// Known path, wrong method. Not in the interface's table; this service's
    /// choice.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405;
}
