//! Sanitizing of a model's text: removes everything that acts on terminals or platforms.

use model::text;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// C1 control that stands for `ESC [`.
const SEQUENCE_START: char = '\u{9b}';

/// Removes escape sequences, control characters and bidirectional overrides; keeps line breaks.
pub fn sanitize_text(text: &str) -> String {
    text::clean_pasted(&strip_escape_sequences(text)).trim().to_owned()
}

/// Removes whole escape sequences: without their first character the rest would show as text.
fn strip_escape_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let opener = match next {
            SEQUENCE_START => Some('['),
            ESCAPE => rest.next_if(|follows| matches!(follows, '[' | ']' | 'P' | 'X' | '^' | '_')),
            _ => {
                kept.push(next);
                None
            }
        };
        match opener {
            Some('[') => {
                while rest.next_if(|inside| (' '..='?').contains(inside)).is_some() {}
                rest.next_if(|last| ('@'..='~').contains(last));
            }
            // A string sequence ends with BEL or `ESC \`, at the latest with its line.
            Some(_) => {
                while let Some(inside) = rest.next_if(|inside| *inside != '\n') {
                    if inside == BELL || (inside == ESCAPE && rest.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            None => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_left_out_and_words_stay() {
        let cases = [
            ("Your parcel\r\nleft today.\n", "Your parcel\nleft today."),
            ("a\0b\u{8}c\u{7f}d", "abcd"),
            ("\u{1b}[31mred\u{1b}[0m and \u{9b}2Jmore", "red and more"),
            ("x\u{1b}]0;title\u{7}y\u{1b}]8;;http://e.example\u{1b}\\z", "xyz"),
            ("x\u{1b}]0;never ends\nnext", "x\nnext"),
            ("\u{1b}Mup and \u{1b}", "Mup and"),
            ("\u{202e}evil\u{202c} \u{2066}turned\u{2069}\u{200f}", "evil turned"),
            (
                "Grüße 👩\u{200d}🚒 \u{645}\u{6cc}\u{200c}\u{62e}",
                "Grüße 👩\u{200d}🚒 \u{645}\u{6cc}\u{200c}\u{62e}",
            ),
            ("\u{1b}[31m\u{202e}", ""),
        ];
        for (told, leaves) in cases {
            assert_eq!(sanitize_text(told), leaves, "{told:?}");
        }
    }
}
