//! Fetched items of a mail. The IMAP client's own rows hold a buffer of at least 4 KiB each, too
//! much for a row per mail of a mailbox.

use async_imap::imap_proto::AttributeValue;
use async_imap::types::Flag;
use mail_parser::DateTime;

use crate::mailbox::large::MailPart;

#[derive(Debug, Clone, Default)]
pub struct FetchedMail {
    pub uid: Option<u32>,
    /// In bytes.
    pub size: Option<u32>,
    flags: Vec<Flag<'static>>,
    internal_date: Option<InternalDate>,
    header: Option<Vec<u8>>,
    body: Option<Vec<u8>>,
    pub structure: Option<MailPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InternalDate(i64);

impl InternalDate {
    pub fn timestamp(self) -> i64 {
        self.0
    }
}

impl FetchedMail {
    pub fn from_attributes(told: &[AttributeValue<'_>]) -> Self {
        let mut mail = Self::default();
        for value in told {
            match value {
                AttributeValue::Uid(uid) => mail.uid = Some(*uid),
                AttributeValue::Rfc822Size(size) => mail.size = Some(*size),
                AttributeValue::InternalDate(date) => mail.internal_date = read_date(date),
                AttributeValue::Flags(flags) => {
                    mail.flags =
                        flags.iter().filter_map(|flag| standard_flag(Flag::from(flag.as_ref()))).collect();
                }
                AttributeValue::BodySection { section: None, data: Some(body), .. }
                | AttributeValue::Rfc822(Some(body)) => mail.body = Some(body.to_vec()),
                AttributeValue::BodySection { section: Some(_), data: Some(header), .. }
                | AttributeValue::Rfc822Header(Some(header)) => mail.header = Some(header.to_vec()),
                AttributeValue::BodyStructure(structure) => {
                    mail.structure = Some(MailPart::from_structure(structure));
                }
                _ => {}
            }
        }
        mail
    }

    /// Returns the mail with another body.
    pub fn with_body(self, body: Vec<u8>) -> Self {
        Self { body: Some(body), ..self }
    }

    /// Returns the flags that the protocol defines.
    pub fn flags(&self) -> impl Iterator<Item = Flag<'static>> {
        self.flags.iter().cloned()
    }

    pub fn internal_date(&self) -> Option<InternalDate> {
        self.internal_date
    }

    /// Returns the header, or another section of the mail.
    pub fn header(&self) -> Option<&[u8]> {
        self.header.as_deref()
    }

    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }
}

/// Parses ` 7-Jul-1996 02:44:25 -0700`.
fn read_date(text: &str) -> Option<InternalDate> {
    let date = DateTime::parse_rfc822(&text.trim().replacen('-', " ", 2))?;
    date.is_valid().then(|| InternalDate(date.to_timestamp()))
}

/// Drops keywords, which are words of the mailbox's users.
fn standard_flag(flag: Flag<'_>) -> Option<Flag<'static>> {
    match flag {
        Flag::Seen => Some(Flag::Seen),
        Flag::Answered => Some(Flag::Answered),
        Flag::Flagged => Some(Flag::Flagged),
        Flag::Deleted => Some(Flag::Deleted),
        Flag::Draft => Some(Flag::Draft),
        Flag::Recent => Some(Flag::Recent),
        Flag::MayCreate | Flag::Custom(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_servers_write_them() {
        for (text, seconds) in [
            ("17-Jul-1996 02:44:25 -0700", Some(837_596_665)),
            (" 7-Jul-1996 02:44:25 +0000", Some(836_707_465)),
            ("07-Jul-1996 02:44:25 +0000", Some(836_707_465)),
            ("", None),
            ("yesterday", None),
        ] {
            assert_eq!(read_date(text).map(InternalDate::timestamp), seconds, "{text:?}");
        }
    }
}
