//! Text with `format=flowed` (RFC 3676): joins lines that a mail program broke.

/// Joins the lines of paragraphs. With `deletes_space` (`DelSp=yes`) the space at a line break is
/// removed.
pub fn join_lines(text: &str, deletes_space: bool) -> String {
    let mut joined = String::with_capacity(text.len());
    // Quote depth of a paragraph that continues in the next line.
    let mut open = None;
    for (index, line) in text.lines().enumerate() {
        let depth = line.bytes().take_while(|byte| *byte == b'>').count();
        let content = &line[depth..];
        // Space-stuffing is undone.
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_signature = content == "-- ";
        if open != Some(depth) || is_signature {
            joined.push_str(if index == 0 { "" } else { "\n" });
            joined.extend(std::iter::repeat_n('>', depth));
            joined.push_str(if depth == 0 { "" } else { " " });
        }
        let broken = content.strip_suffix(' ').filter(|_| !is_signature);
        joined.push_str(broken.filter(|_| deletes_space).unwrap_or(content));
        open = broken.map(|_| depth);
    }
    if text.ends_with('\n') {
        joined.push('\n');
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_nothing_else() {
        let cases = [
            ("A long \r\nline.\r\n\r\nAnother.\r\n", false, "A long line.\n\nAnother.\n"),
            ("split \nword", true, "splitword"),
            (">> deep \n>> quote \n> less \nown", false, ">> deep quote \n> less \nown"),
            ("Bye \n-- \nAnn", false, "Bye \n-- \nAnn"),
            (" >not a quote", false, ">not a quote"),
            (" From here", false, "From here"),
            ("one\ntwo", false, "one\ntwo"),
            ("", false, ""),
        ];
        for (text, deletes_space, expected) in cases {
            assert_eq!(join_lines(text, deletes_space), expected, "{text:?}");
        }
    }
}
