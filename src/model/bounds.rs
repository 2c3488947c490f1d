//! Every size and count bound of the interface, once, for both sides.
//!
//! Interface: Limits, Size and count bounds. Lengths count characters (Unicode
//! scalar values).

/// Text body on business chat and bot-chat.
pub const MAX_TEXT_CHARS: usize = 4096;
/// Caption of an image, video, document or photo.
pub const MAX_CAPTION_CHARS: usize = 1024;
/// File name of a document.
pub const MAX_FILENAME_CHARS: usize = 256;
/// A contact's name.
pub const MAX_CONTACT_NAME_CHARS: usize = 200;
/// An email's subject.
pub const MAX_SUBJECT_CHARS: usize = 998;
/// Attachments of one email.
pub const MAX_ATTACHMENTS: usize = 20;
/// Characters of a mail address: what a mail server takes at most.
pub const MAX_EMAIL_ADDRESS_CHARS: usize = 254;
/// Body of an SMS; at least one character.
pub const MAX_SMS_CHARS: usize = 1600;
/// Contacts of one broadcast; at least one.
pub const MAX_BROADCAST_CONTACTS: usize = 1000;
/// Bytes of an uploaded file: 25 MB, read as MiB.
pub const MAX_UPLOAD_BYTES: u64 = 25 * 1024 * 1024;
/// Rows of a page at most; at least one.
pub const MAX_PAGE_ROWS: u32 = 100;
/// Rows of a page when nothing is asked for.
pub const DEFAULT_PAGE_ROWS: u32 = 50;
/// Items the new-message trigger returns at most.
pub const MAX_TRIGGER_ITEMS: usize = 50;
/// Seconds an answer is kept under its idempotency key.
pub const IDEMPOTENCY_RETENTION_SECONDS: i64 = 24 * 3600;
/// Seconds the service window stays open after an inbound message.
pub const SERVICE_WINDOW_SECONDS: i64 = 24 * 3600;

/// True if a text is a phone number in E.164 form: `+`, then 7 to 15 digits,
/// the first of which is not zero. The shortest numbers in use, such as those
/// of Saint Helena, Niue and Tokelau, have seven or eight.
pub fn is_e164(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('+') else {
        return false;
    };
    (7..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0')
}

/// Returns the length of a text in UTF-16 units, in which the bot platform counts.
pub fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns true for a business chat platform's own id of a person: two letters
/// of a country, a dot, and up to 128 letters and digits, as in
/// `ES.1502576394655843`; before these perhaps `ENT.`.
pub fn is_user_id(text: &str) -> bool {
    let Some((country, rest)) = text.split_once('.') else {
        return false;
    };
    let rest = rest.strip_prefix("ENT.").unwrap_or(rest);
    country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && (1..=128).contains(&rest.len())
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the platform's id of a business chat group from the address it is
/// answered at, `group:` and the id.
pub fn group_id(text: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"=_-@.+/".contains(&byte);
    let id = text.strip_prefix("group:")?;
    ((1..=200).contains(&id.len()) && id.bytes().all(is_plain)).then_some(id)
}

/// Returns true for an address that business chat sends to: a phone number in
/// E.164, the platform's id of a person, or a group.
pub fn is_chat_address(text: &str) -> bool {
    is_e164(text) || is_user_id(text) || group_id(text).is_some()
}

/// Whether a text is one mail address in plain form, `local@domain`: ASCII
/// without spaces, quotes or a display name, and a domain of at least two
/// labels.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let atom = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
    };
    let label = |text: &str| {
        (1..=63).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-')
    };
    let last = domain.rsplit('.').next().unwrap_or("");
    text.len() <= MAX_EMAIL_ADDRESS_CHARS
        && local.len() <= 64
        && local.split('.').all(atom)
        && domain.contains('.')
        && domain.split('.').all(label)
        && !last.bytes().all(|byte| byte.is_ascii_digit())
}

/// The length the bounds count: Unicode scalar values.
pub fn count_chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e164_cases() {
        let cases = [
            ("+34600111222", true),
            ("+12345678", true),
            ("+123456789012345", true),
            ("+2908123", true),
            ("+1234567", true),
            ("+123456", false),
            ("+1234567890123456", false),
            ("34600111222", false),
            ("+0600111222", false),
            ("+34 600 111 222", false),
            ("+３４600111222", false),
            ("", false),
        ];
        for (text, valid) in cases {
            assert_eq!(is_e164(text), valid, "{text}");
        }
    }

    #[test]
    fn email_cases() {
        let long = format!("{}@mail.example", "l".repeat(65));
        let cases = [
            ("maria.lopez@mail.example", true),
            ("o'brien+orders@sub.mail-shop.example", true),
            ("A_1@X.example", true),
            ("maria@localhost", false),
            ("maria@", false),
            ("@mail.example", false),
            ("maria", false),
            ("maria..lopez@mail.example", false),
            (".maria@mail.example", false),
            ("maria@mail..example", false),
            ("maria@-mail.example", false),
            ("maria@mail.example.", false),
            ("maria@127.0.0.1", false),
            ("maria@[127.0.0.1]", false),
            ("maria lopez@mail.example", false),
            ("Maria <maria@mail.example>", false),
            ("maria@mail.example\r\nBcc: x@mail.example", false),
            ("a@b@mail.example", false),
            ("maría@mail.example", false),
            (&long, false),
            ("", false),
        ];
        for (text, valid) in cases {
            assert_eq!(is_email(text), valid, "{text}");
        }
    }
}
