use model::bounds;
use url::Host;

/// Returns a mail address with its domain in ASCII; `None` if it is invalid.
pub fn ascii_address(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@')?;
    let address = if domain.is_ascii() {
        text.to_owned()
    } else {
        // The parser would also accept escapes and white space.
        let is_plain = |letter: char| letter.is_alphanumeric() || "-.。．".contains(letter);
        match Host::parse(domain).ok().filter(|_| domain.chars().all(is_plain))? {
            Host::Domain(ascii) => format!("{local}@{ascii}"),
            Host::Ipv4(_) | Host::Ipv6(_) => return None,
        }
    };
    Some(address).filter(|address| bounds::is_email(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_written_in_ascii() {
        let cases = [
            ("kim@mail.example", Some("kim@mail.example")),
            ("kim@bücher.example", Some("kim@xn--bcher-kva.example")),
            ("jörg@buch.example", None),
            ("kim@bü%63her.example", None),
            ("kim@bü cher.example", None),
            ("kim@127。0。0。1", None),
            ("bücher.example", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(ascii_address(text).as_deref(), wanted, "{text}");
        }
    }
}
