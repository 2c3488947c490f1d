//! Determines the author of a mail, the target of answers, and the direction of the mail.
//!
//! Answers go to `Reply-To`, else to the authors in `From`, in both cases without the mailbox's own
//! addresses and the address of a mailing list. If that leaves nobody, `X-Original-From` counts, in
//! which forwarding services name the author. If still nobody is left or a header is unreadable,
//! the mail cannot be answered until a person gives an address.

use mail_parser::Message;

use crate::mail::answer_target::AnswerTarget;
use crate::mailbox::parsing::lines::header_values;
use crate::mailbox::parsing::mailboxes::{AddressHeader, MailAddress, read_mailboxes};
use api::carriers::MailUpdateKind;

/// Maximum length of the tag in an address that answers are sent from.
const MAX_TAG_CHARS: usize = 40;
const ORIGINAL_AUTHOR_HEADERS: [&str; 2] = ["X-Original-From", "X-Original-Sender"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MailDirection {
    #[default]
    Inbound,
    /// Sent from the mailbox, with any program.
    Sent,
    /// A sent mail addressed to the mailbox alone: its copy in the inbox is the mail.
    SentToSelf,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Correspondence {
    pub from: AddressHeader,
    pub reply_to: AddressHeader,
    /// `Sender`, if it is not the author.
    pub sender: Option<MailAddress>,
    pub to: AddressHeader,
    pub cc: AddressHeader,
    pub answers_go_to: AnswerTarget,
    pub direction: MailDirection,
}

/// Reads the people of a mail in a folder of a mailbox with the addresses `own`.
pub fn read_correspondence(parsed: &Message<'_>, folder: MailUpdateKind, own: &[String]) -> Correspondence {
    let header = |name: &str| read_mailboxes(&header_values(parsed, name));
    let (mut from, reply_to) = (header("From"), header("Reply-To"));
    if header_values(parsed, "From").len() > 1 && from.mailboxes.len() > 1 {
        // With two headers that name different authors, programs disagree which counts.
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

/// Returns the target of answers to `named`, which is not empty.
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
        // The mailbox's own copy of a mail to others. A web form that writes as the mailbox
        // addresses it alone, or names its visitor in Reply-To.
        _ if is_from_self && others_get_it && matches!(answers_go_to, AnswerTarget::Nobody { .. }) => {
            MailDirection::Sent
        }
        _ => MailDirection::Inbound,
    }
}

/// Returns true for an address of the mailbox, with or without a `+` tag.
pub fn is_own(own: &[String], address: &str) -> bool {
    let untagged = |address: &str| {
        let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
        format!("{}@{domain}", local.split('+').next().unwrap_or(local)).to_lowercase()
    };
    own.iter().any(|one| one.eq_ignore_ascii_case(address) || untagged(one) == untagged(address))
}

/// Headers in which mail servers name the address of a delivery, the most specific first.
const DELIVERY_HEADERS: [&str; 3] = ["X-Original-To", "Envelope-To", "Delivered-To"];

/// Returns the address of the mailbox that a mail reached, if it is not the main one: an alias, or one of
/// its addresses with a `+` tag. Servers that deliver to the main address only leave it to `To` and `Cc`.
pub fn reached_address(parsed: &Message<'_>, people: &Correspondence, own: &[String]) -> Option<String> {
    let main = own.first()?;
    let other = |address: &str| {
        let is_other = !address.eq_ignore_ascii_case(main) && is_own(own, address) && has_plain_tag(address);
        let alias = own.iter().find(|alias| alias.eq_ignore_ascii_case(address)).cloned();
        is_other.then(|| alias.unwrap_or_else(|| address.to_owned()))
    };
    let delivered =
        DELIVERY_HEADERS.iter().flat_map(|name| read_mailboxes(&header_values(parsed, name)).mailboxes);
    if let Some(found) = delivered.map(|mailbox| mailbox.address).find_map(|address| other(&address)) {
        return Some(found);
    }
    let named = || people.to.mailboxes.iter().chain(&people.cc.mailboxes);
    if named().any(|mailbox| mailbox.address.eq_ignore_ascii_case(main)) {
        return None;
    }
    named().find_map(|mailbox| other(&mailbox.address))
}

/// Returns false for a `+` tag with signs that only a prankster would choose for the sender of an answer.
fn has_plain_tag(address: &str) -> bool {
    let local = address.rsplit_once('@').map_or(address, |(local, _)| local);
    let tag = local.split_once('+').map_or("", |(_, tag)| tag);
    tag.len() <= MAX_TAG_CHARS
        && tag.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_' | '='))
}

/// Addresses for posting to a mailing list (RFC 2369).
fn list_addresses(parsed: &Message<'_>) -> Vec<String> {
    let values = header_values(parsed, "List-Post");
    let links = values.iter().flat_map(|value| value.split(['<', '>', ',']));
    let addresses = links.filter_map(|link| link.trim().strip_prefix("mailto:"));
    addresses.map(|link| link.split('?').next().unwrap_or(link).to_owned()).collect()
}
