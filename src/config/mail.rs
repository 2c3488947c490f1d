//! Mail settings of a channel: sender, signature, quoting.

use crate::config::Mistakes;
use crate::config::reading::Section;
use model::email::addresses::{TypedAddress, parse_list};
use model::email::compose::MailStyle;
use model::email::quoting::QuoteStyle;

pub(super) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> MailStyle {
    let text = |entry: Option<String>| entry.filter(|text| !text.trim().is_empty());
    let from = text(mistakes.value(section.string("mail_from")));
    let is_sender = |text: &String| {
        !text.contains('@') || matches!(parse_list(text).as_slice(), [TypedAddress::Address(_)])
    };
    if from.as_ref().is_some_and(|text| !is_sender(text)) {
        mistakes.0.push(section.error(
            "mail_from",
            "is not a sender; write a name or an address, such as Ana <ana@harbor.example>",
        ));
    }
    MailStyle {
        from,
        signature: text(mistakes.value(section.string("mail_signature"))),
        quoting: mistakes
            .value(section.word("mail_quote"))
            .and_then(|text| QuoteStyle::from_word(&text))
            .unwrap_or_default(),
        attribution: text(mistakes.value(section.string("mail_attribution"))),
    }
}
