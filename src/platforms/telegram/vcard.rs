//! Reads the card of a shared contact (RFC 6350, and version 2.1, which encodes letters as
//! quoted-printable).

/// Maximum number of lines read of a card.
const MAX_LINES: usize = 200;

/// Returns the numbers, addresses and organizations of a card, in its order.
pub(super) fn read_card(card: &str) -> Vec<String> {
    unfold(card).iter().filter_map(|line| card_value(line)).collect()
}

/// Joins folded lines: the next one begins with a space, or this one ends with `=` where it is encoded.
fn unfold(card: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in card.lines().take(MAX_LINES) {
        match lines.last_mut() {
            Some(last) if line.starts_with([' ', '\t']) => last.push_str(&line[1..]),
            Some(last) if last.ends_with('=') && is_encoded(last) => {
                last.pop();
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn is_encoded(line: &str) -> bool {
    let head = line.split(':').next().unwrap_or_default();
    head.to_ascii_uppercase().contains("QUOTED-PRINTABLE")
}

/// Returns the number, address or organization on a line.
fn card_value(line: &str) -> Option<String> {
    let (head, value) = line.split_once(':')?;
    let name = head.split(';').next()?.rsplit('.').next()?.to_ascii_uppercase();
    if !matches!(name.as_str(), "TEL" | "EMAIL" | "ORG" | "URL") {
        return None;
    }
    let decoded = if is_encoded(line) { decode(value) } else { value.to_owned() };
    let value = split_components(decoded.trim().trim_start_matches("tel:")).join(", ");
    (!value.is_empty()).then_some(value)
}

/// Decodes quoted-printable text; letters that are not encoded correctly stay as they are.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|_| *byte == b'=');
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(letter) => {
                decoded.push(letter);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Splits a value at its semicolons and removes the backslashes before commas and the like. Parts without
/// letters are left out.
fn split_components(value: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        let escaped = if letter == '\\' { letters.next() } else { None };
        let plain = match (letter, escaped) {
            (';', None) => {
                parts.push(String::new());
                continue;
            }
            (_, Some('n' | 'N')) => ' ',
            (_, Some(escaped)) => escaped,
            (letter, None) => letter,
        };
        if let Some(part) = parts.last_mut().filter(|_| !plain.is_control()) {
            part.push(plain);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_is_unfolded_decoded_and_unescaped() {
        let cases = [
            ("TEL;TYPE=CELL:tel:+34 600 111 222", "+34 600 111 222"),
            ("item1.URL:https\\://pier.example", "https://pier.example"),
            ("ORG:Pier\\, Boats\\; Ropes;Sales;", "Pier, Boats; Ropes, Sales"),
            ("EMAIL:bo@very.lo\n ng.example", "bo@very.long.example"),
            ("EMAIL:bo@very.lo\r\n\tng.example", "bo@very.long.example"),
            ("ORG;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:C=C3=A1di=\nz=zz=0", "Cádiz=zz=0"),
            ("ORG;ENCODING=QUOTED-PRINTABLE:a=00b=", "ab="),
            ("URL:https://pier.example/?a=\nTEL:1", "https://pier.example/?a= 1"),
            ("ORG:one\\nline\\", "one line\\"),
        ];
        for (card, wanted) in cases {
            assert_eq!(read_card(card).join(" "), wanted, "{card}");
        }
        for nothing in ["", "TEL", "TEL:", "ORG:;;", "FN:Bo", "EMAIL; :", " folded"] {
            assert!(read_card(nothing).is_empty(), "{nothing}");
        }
    }
}
