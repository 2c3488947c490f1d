//! Topic of a subject: the subject without reply and forward marks.

/// Reply and forward marks of mail programs in many languages.
const REPLY_MARKS: [&str; 42] = [
    "re",
    "fwd",
    "fw",
    "aw",
    "wg",
    "sv",
    "vs",
    "antw",
    "odp",
    "tr",
    "rv",
    "rif",
    "res",
    "enc",
    "ref",
    "doorst",
    "r",
    "i",
    "vb",
    "vl",
    "ynt",
    "ilt",
    "pd",
    "vá",
    "atb",
    "απ",
    "πρθ",
    "отв",
    "ответ",
    "пересл",
    "回复",
    "回覆",
    "答复",
    "答覆",
    "转发",
    "轉寄",
    "返信",
    "転送",
    "답장",
    "회신",
    "전달",
    "رد",
];
/// Topics too generic to relate two mails.
const GENERIC_TOPICS: [&str; 33] = [
    "no subject",
    "none",
    "subject",
    "untitled",
    "kein betreff",
    "ohne betreff",
    "sans objet",
    "aucun objet",
    "sin asunto",
    "sem assunto",
    "nessun oggetto",
    "geen onderwerp",
    "bez tematu",
    "без темы",
    "无主题",
    "件名なし",
    "contact",
    "contact form",
    "contact us",
    "website contact",
    "contact request",
    "new message",
    "new contact form submission",
    "new form submission",
    "form submission",
    "message from your website",
    "web form",
    "kontakt",
    "kontaktformular",
    "kontaktanfrage",
    "formulaire de contact",
    "formulario de contacto",
    "formulário de contato",
];

/// Returns the topic of a subject in lower case; may be empty.
pub fn topic(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((mark, after)) = rest.split_once([':', '：']) {
        // Marks with a count, such as `Re[2]:`.
        let mark = mark.trim_end_matches(']').trim_end_matches(|character: char| character.is_ascii_digit());
        let mark = mark.trim_end_matches('[').trim().to_lowercase();
        if !REPLY_MARKS.contains(&mark.as_str()) {
            break;
        }
        rest = after.trim();
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns the topic of a subject; empty if it is generic, such as that of a web form.
pub fn distinct_topic(subject: &str) -> String {
    let topic = topic(subject);
    let bare = topic.trim_matches(|text: char| !text.is_alphanumeric());
    if bare.is_empty() || GENERIC_TOPICS.contains(&bare) { String::new() } else { topic }
}

pub fn reply_subject(subject: &str) -> String {
    if topic(subject) == subject.trim().to_lowercase() {
        format!("Re: {subject}")
    } else {
        subject.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_marks_do_not_count() {
        let cases = [
            ("Order 1042", "order 1042"),
            ("Re: Order 1042", "order 1042"),
            ("RE: FW: re : Order  1042 ", "order 1042"),
            ("AW: Re[2]: Order 1042", "order 1042"),
            ("Repairs: a question", "repairs: a question"),
            ("Re:", ""),
            ("回复：Order 1042", "order 1042"),
            ("Отв: RE[12]: Order 1042", "order 1042"),
            ("SV: VS: Order 1042", "order 1042"),
            ("", ""),
        ];
        for (subject, expected) in cases {
            assert_eq!(topic(subject), expected, "{subject}");
        }
        for nothing in ["", "Re: ", "(no subject)", "Fwd: Contact form", "...", "[Kontaktformular]", "无主题"]
        {
            assert_eq!(distinct_topic(nothing), "", "{nothing}");
        }
        assert_eq!(distinct_topic("Re: Contact form is broken"), "contact form is broken");
        assert_eq!(reply_subject("Order"), "Re: Order");
        assert_eq!(reply_subject("Re: Order"), "Re: Order");
    }
}
