//! Checks of the address fields of `sendEmail`.

use api::fields::MailAddress;
use api::request::FieldError;
use model::bounds::{self, MAX_RECIPIENTS};

/// Returns addresses without duplicates.
///
/// # Errors
/// For more than [`MAX_RECIPIENTS`]; names the field.
pub fn check_list(name: &str, told: Vec<MailAddress>) -> Result<Vec<String>, FieldError> {
    if told.len() > MAX_RECIPIENTS {
        return Err(FieldError::new(name, format!("must have at most {MAX_RECIPIENTS} addresses")));
    }
    let mut found: Vec<String> = Vec::new();
    for address in told.into_iter().map(MailAddress::into_string) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(&address)) {
            found.push(address);
        }
    }
    Ok(found)
}

/// Parts of `from`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SenderField {
    pub name: Option<String>,
    pub address: Option<String>,
}

/// Reads `from`, which may be a name, an address or `Name <address>`.
///
/// # Errors
/// For control characters or a malformed address.
pub fn read_sender(text: &str) -> Result<SenderField, FieldError> {
    if text.chars().any(char::is_control) {
        return Err(FieldError::new("from", "must not contain control characters"));
    }
    let (name, address) = match text.split_once('<') {
        Some((name, rest)) => {
            let address = rest.trim().strip_suffix('>').filter(|address| bounds::is_email(address));
            let malformed = || FieldError::new("from", "must be a name, an address or `Name <address>`");
            (name, Some(address.ok_or_else(malformed)?))
        }
        None if bounds::is_email(text.trim()) => ("", Some(text.trim())),
        None => (text, None),
    };
    let name = name.trim().trim_matches('"').trim();
    Ok(SenderField {
        name: Some(name.to_owned()).filter(|text| !text.is_empty()),
        address: address.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use api::email::SendEmail;
    use api::request::RequestBody;
    use serde_json::json;

    use super::*;
    use crate::mail::content::MailSendRequest;

    #[test]
    fn recipients_are_one_or_many() {
        let cases = [
            (json!("a@mail.example"), Ok(vec!["a@mail.example"])),
            (
                json!(["a@mail.example", "A@Mail.example", "b@mail.example"]),
                Ok(vec!["a@mail.example", "b@mail.example"]),
            ),
            (json!("kim@bücher.example"), Ok(vec!["kim@xn--bcher-kva.example"])),
            (json!("jörg@buch.example"), Err("to must be a mail address")),
            (json!("kim@127。0。0。1"), Err("to must be a mail address")),
            (json!([]), Err("to must name at least one")),
            (json!(["a@mail.example", "x"]), Err("to[1] must be a mail address")),
            (json!(["a@mail.example", 5]), Err("to[1] must be a string")),
            (json!("a"), Err("to must be a mail address")),
            (json!(5), Err("to must be a mail address")),
            (json!(null), Err("to is required")),
            (json!("a@mail.example\r\nBcc: b@mail.example"), Err("to must be a mail address")),
            (json!(vec!["a@mail.example"; 51]), Err("to must have at most 50")),
        ];
        for (to, expected) in cases {
            let body = json!({"to": to, "subject": "Hi", "text": "Hello"});
            let found = SendEmail::read(body).and_then(MailSendRequest::of).map(|mail| mail.to);
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{to}"),
                (Err(error), Err(words)) => {
                    assert!(error.to_string().starts_with(words), "{error}");
                }
                (found, _) => panic!("{to}: {found:?}"),
            }
        }
    }

    #[test]
    fn name_and_address_of_a_sender_are_read() {
        let desk = Some("desk@harborbicycles.example");
        let cases = [
            ("Harbor Bicycles", Some((Some("Harbor Bicycles"), None))),
            ("desk@harborbicycles.example", Some((None, desk))),
            ("\"Workshop\" <desk@harborbicycles.example>", Some((Some("Workshop"), desk))),
            ("<desk@harborbicycles.example>", Some((None, desk))),
            ("Workshop <nobody>", None),
            ("Work\r\nshop", None),
        ];
        for (from, expected) in cases {
            let found = read_sender(from).ok();
            let found = found.as_ref().map(|sender| (sender.name.as_deref(), sender.address.as_deref()));
            assert_eq!(found, expected, "{from}");
        }
    }
}
