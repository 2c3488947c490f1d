//! What a subject is about, without the marks that replying leaves on it:
//! mails of one topic belong together.

/// Marks of replies and forwards in the languages mail programs speak.
const MARKS: [&str; 16] = [
    "re", "fwd", "fw", "aw", "wg", "sv", "vs", "antw", "odp", "tr", "rv", "rif", "res", "enc", "ref",
    "doorst",
];

/// The topic of a subject, in lower case. Empty for a subject that says
/// nothing.
pub fn topic(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((mark, after)) = rest.split_once(':') {
        // `Re[2]:` is a mark too.
        let mark = mark.trim_end_matches(']').trim_end_matches(|it: char| it.is_ascii_digit());
        let mark = mark.trim_end_matches('[').trim().to_lowercase();
        if !MARKS.contains(&mark.as_str()) {
            break;
        }
        rest = after.trim();
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

pub fn answering(subject: &str) -> String {
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
            ("", ""),
        ];
        for (subject, expected) in cases {
            assert_eq!(topic(subject), expected, "{subject}");
        }
        assert_eq!(answering("Order"), "Re: Order");
        assert_eq!(answering("Re: Order"), "Re: Order");
    }
}
