//! The credit table of the interface, once, for both sides.
//!
//! Knows nothing of balances. Interface: Limits, Credit costs. The document
//! states two prices for a template; the table's 2 is taken.

/// One text message on business chat or bot-chat.
pub const TEXT: i64 = 1;
/// Media of any type from a link the caller hosts.
pub const MEDIA_OWN_LINK: i64 = 1;
/// Image, photo, document or audio from an uploaded URL.
pub const MEDIA_UPLOADED: i64 = 2;
/// Video from an uploaded URL.
pub const VIDEO_UPLOADED: i64 = 5;
/// One template message.
pub const TEMPLATE: i64 = 2;
/// One email, with or without attachments.
pub const EMAIL: i64 = 1;
/// One SMS. The interface's table does not name it; priced as a text.
pub const SMS: i64 = 1;
/// One started minute of a voice call. The interface shows no rate; this is
/// the service's choice.
pub const VOICE_MINUTE: i64 = 5;
