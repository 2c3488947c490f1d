//! Size and count limits of the interface, for client and service. Lengths count Unicode scalar
//! values.

/// Business chat and bot-chat.
pub const MAX_TEXT_CHARS: usize = 4096;
/// Image, video, document or photo.
pub const MAX_CAPTION_CHARS: usize = 1024;
pub const MAX_FILENAME_CHARS: usize = 256;
pub const MAX_CONTACT_NAME_CHARS: usize = 200;
/// Tags of a contact, beside [`NO_MARKETING_TAG`].
pub const MAX_TAGS: usize = 50;
/// Tag of a contact who wants no marketing messages.
pub const NO_MARKETING_TAG: &str = "no-marketing";
pub const MAX_TAG_CHARS: usize = 64;
pub const MAX_SUBJECT_CHARS: usize = 998;
pub const MAX_ATTACHMENTS: usize = 20;
/// Maximum number of files sent with one reply on a chat channel, each as a message of its own.
pub const MAX_REPLY_ATTACHMENTS: usize = 10;
/// Recipients of one mail, over `to`, `cc` and `bcc`. The interface sets no bound; this is what one
/// credit may reach.
pub const MAX_RECIPIENTS: usize = 50;
/// Additional headers of a mail.
pub const MAX_MAIL_HEADERS: usize = 50;
/// Maximum that mail servers accept.
pub const MAX_EMAIL_ADDRESS_CHARS: usize = 254;
/// The minimum is one character.
pub const MAX_SMS_CHARS: usize = 1600;
/// The minimum is one contact.
pub const MAX_BROADCAST_CONTACTS: usize = 1000;
/// 25 MB, read as MiB.
pub const MAX_UPLOAD_BYTES: u64 = 25 * 1024 * 1024;
/// The minimum is one row.
pub const MAX_PAGE_ROWS: u32 = 100;
pub const DEFAULT_PAGE_ROWS: u32 = 50;
/// Maximum number of items in an answer of the new-message trigger.
pub const MAX_TRIGGER_ITEMS: usize = 50;
pub const IDEMPOTENCY_RETENTION_SECONDS: i64 = 24 * 3600;
/// Seconds that the service window stays open after an inbound message.
pub const SERVICE_WINDOW_SECONDS: i64 = 24 * 3600;

/// True for a phone number in E.164: `+`, then 7 to 15 digits without a leading zero. The shortest
/// numbers in use (Saint Helena, Niue, Tokelau) have seven or eight.
pub fn is_e164(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('+') else {
        return false;
    };
    (7..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0')
}

/// Length in UTF-16 units, as counted by the bot platform.
pub fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// True for a platform's own id of a person: two letters of a country, a dot, an optional `ENT.`,
/// and up to 128 letters and digits, as in `ES.1502576394655843`.
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

/// Returns the platform's id of a business chat group from its address, `group:` and the id.
pub fn group_id(text: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"=_-@.+/".contains(&byte);
    let id = text.strip_prefix("group:")?;
    ((1..=200).contains(&id.len()) && id.bytes().all(is_plain)).then_some(id)
}

/// True for an address that business chat sends to: an E.164 number, a person's platform id, or a
/// group.
pub fn is_chat_address(text: &str) -> bool {
    is_e164(text) || is_user_id(text) || group_id(text).is_some()
}

/// True for one plain mail address `local@domain`: ASCII without spaces, quotes or a display name,
/// with a domain of at least two labels.
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

/// Length in Unicode scalar values, as the limits count it.
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
