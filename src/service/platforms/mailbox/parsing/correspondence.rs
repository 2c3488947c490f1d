//! Who wrote a mail, who gets an answer, and which way it went.
//!
//! An answer goes to `Reply-To`, else to the authors in `From`. One's own
//! addresses and the address of a mailing list are nobody's there. A service
//! that passes mail on under its own address tells the author in
//! `X-Original-From`, which counts only where nobody else is left. Where
//! nobody is left, or where it cannot be read, nobody can be answered until a
//! person gives an address.

use mail_parser::Message;

use crate::mail::answer_target::AnswerTarget;
use crate::platforms::mailbox::parsing::lines::header_values;
use crate::platforms::mailbox::parsing::mailboxes::{AddressHeader, MailAddress, read_mailboxes};
use wire::carriers::MailUpdateKind;

/// Headers in which services that pass mail on tell its author.
const ORIGINAL_AUTHOR_HEADERS: [&str; 2] = ["X-Original-From", "X-Original-Sender"];

/// Which way a mail went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MailDirection {
    /// Somebody wrote to the mailbox.
    #[default]
    Inbound,
    /// Sent from the mailbox, with whichever program.
    Sent,
    /// A sent mail that went to the mailbox alone: its copy in the inbox is
    /// the mail.
    SentToSelf,
}

/// The people of a mail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Correspondence {
    pub from: AddressHeader,
    pub reply_to: AddressHeader,
    /// `Sender`, where it is not the author.
    pub sender: Option<MailAddress>,
    pub to: AddressHeader,
    pub cc: AddressHeader,
    pub answers_go_to: AnswerTarget,
    pub direction: MailDirection,
}

/// Reads the people of a mail that lies in a folder of a mailbox with these
/// addresses.
pub fn read_correspondence(parsed: &Message<'_>, folder: MailUpdateKind, own: &[String]) -> Correspondence {
    let header = |name: &str| read_mailboxes(&header_values(parsed, name));
    let (mut from, reply_to) = (header("From"), header("Reply-To"));
    if header_values(parsed, "From").len() > 1 && from.mailboxes.len() > 1 {
        // Two headers that name different authors: programs disagree which counts.
        from.mailboxes.clear();
        from.has_unreadable = true;
    }
    let list = list_addresses(parsed);
    let is_stranger = |mailbox: &&MailAddress| {
        !is_own(own, &mailbox.address) && !list.iter().any(|post| post.eq_ignore_ascii_case(&mailbox.address))
    };
    let strangers = |header: &AddressHeader| -> Vec<MailAddress> {
        header.mailboxes.iter().filter(is_stranger).cloned().collect()
    };
    let answers_go_to = match strangers(&reply_to) {
        named if !named.is_empty() => answer_target(named, &from),
        _ if reply_to.mailboxes.is_empty() && !reply_to.shown.is_empty() => {
            AnswerTarget::Nobody { shown: reply_to.shown.clone() }
        }
        _ => match strangers(&from) {
            authors if !authors.is_empty() => answer_target(authors, &from),
            _ => {
                let told = ORIGINAL_AUTHOR_HEADERS.iter().map(|name| strangers(&header(name)));
                let is_passed_on = !from.mailboxes.is_empty();
                match told.into_iter().find(|told| is_passed_on && !told.is_empty()) {
                    Some(told) => answer_target(told, &from),
                    None => AnswerTarget::Nobody { shown: from.shown.clone() },
                }
            }
        },
    };
    let sender = header("Sender").mailboxes.into_iter().next();
    let is_author = |mailbox: &MailAddress| {
        from.mailboxes.first().is_some_and(|author| author.address.eq_ignore_ascii_case(&mailbox.address))
    };
    let (to, cc) = (header("To"), header("Cc"));
    let recipients: Vec<&str> =
        to.mailboxes.iter().chain(&cc.mailboxes).map(|mailbox| mailbox.address.as_str()).collect();
    let is_from_self = from.mailboxes.first().is_some_and(|author| is_own(own, &author.address));
    let direction = direction(folder, own, is_from_self, &recipients, &answers_go_to);
    Correspondence {
        sender: sender.filter(|mailbox| !is_author(mailbox)),
        from,
        reply_to,
        to,
        cc,
        answers_go_to,
        direction,
    }
}

/// The target of answers to these mailboxes, of which there is at least one.
fn answer_target(named: Vec<MailAddress>, from: &AddressHeader) -> AnswerTarget {
    let author = from.mailboxes.first().map(|author| author.address.as_str()).unwrap_or_default();
    match named.as_slice() {
        [one] if one.address.eq_ignore_ascii_case(author) && from.mailboxes.len() == 1 => {
            AnswerTarget::Author
        }
        _ => AnswerTarget::Others {
            name: named.first().and_then(|mailbox| mailbox.name.clone()),
            to: named.into_iter().map(|mailbox| mailbox.address).collect(),
        },
    }
}

fn direction(
    folder: MailUpdateKind,
    own: &[String],
    is_from_self: bool,
    recipients: &[&str],
    answers_go_to: &AnswerTarget,
) -> MailDirection {
    let others_get_it = recipients.iter().any(|address| !is_own(own, address));
    match folder {
        MailUpdateKind::Sent if others_get_it || recipients.is_empty() => MailDirection::Sent,
        MailUpdateKind::Sent => MailDirection::SentToSelf,
        // A copy to oneself of what was sent to others. A web form that writes
        // as the mailbox writes to it alone, or names its visitor in Reply-To.
        _ if is_from_self && others_get_it && matches!(answers_go_to, AnswerTarget::Nobody { .. }) => {
            MailDirection::Sent
        }
        _ => MailDirection::Inbound,
    }
}

/// True if an address is one of the mailbox, with or without a tag behind `+`.
pub fn is_own(own: &[String], address: &str) -> bool {
    let untagged = |address: &str| {
        let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
        format!("{}@{domain}", local.split('+').next().unwrap_or(local)).to_lowercase()
    };
    own.iter().any(|one| one.eq_ignore_ascii_case(address) || untagged(one) == untagged(address))
}

/// Addresses at which a mailing list takes mail (RFC 2369).
fn list_addresses(parsed: &Message<'_>) -> Vec<String> {
    let values = header_values(parsed, "List-Post");
    let links = values.iter().flat_map(|value| value.split(['<', '>', ',']));
    let addresses = links.filter_map(|link| link.trim().strip_prefix("mailto:"));
    addresses.map(|link| link.split('?').next().unwrap_or(link).to_owned()).collect()
}
