//! Reading of the address fields of `sendEmail`.

use serde_json::Value;

use crate::errors::ApiError;
use crate::fields::Fields;
use model::bounds;
use wire::mail_addresses::ascii_address;

/// Maximum number of recipients of one mail, over `to`, `cc` and `bcc`. The interface sets no bound; this is
/// what one credit may reach.
pub const MAX_RECIPIENTS: usize = 50;

/// Reads an optional mail address and returns it in ASCII.
///
/// # Errors
/// `VALIDATION_ERROR` if it is not one plain address.
pub fn optional_address(fields: &Fields<'_>, name: &str) -> Result<Option<String>, ApiError> {
    let Some(text) = fields.text(name, bounds::MAX_EMAIL_ADDRESS_CHARS)? else { return Ok(None) };
    ascii_address(text).map(Some).ok_or_else(|| refused_error(fields, name))
}

/// Reads a required mail address.
pub fn required_address(fields: &Fields<'_>, name: &str) -> Result<String, ApiError> {
    optional_address(fields, name)?.ok_or_else(|| fields.refuse(name, "is required"))
}

/// Reads `to`: one address or a non-empty array.
///
/// # Errors
/// `VALIDATION_ERROR` that names the field.
pub fn read_recipients(fields: &Fields<'_>) -> Result<Vec<String>, ApiError> {
    let found = match fields.value("to") {
        None => return Err(fields.refuse("to", "is required")),
        Some(Value::String(_)) => vec![required_address(fields, "to")?],
        Some(Value::Array(_)) => read_addresses(fields, "to")?,
        Some(_) => return Err(fields.refuse("to", "must be a mail address or an array of them")),
    };
    if found.is_empty() {
        return Err(fields.refuse("to", "must name at least one mail address"));
    }
    Ok(found)
}

/// Reads an array of addresses without duplicates; empty if absent.
///
/// # Errors
/// `VALIDATION_ERROR` that names the item.
pub fn read_addresses(fields: &Fields<'_>, name: &str) -> Result<Vec<String>, ApiError> {
    let items = fields.array(name)?;
    if items.len() > MAX_RECIPIENTS {
        return Err(fields.refuse(name, &format!("must have at most {MAX_RECIPIENTS} addresses")));
    }
    let mut found: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = || format!("{name}[{index}]");
        let address = item.as_str().and_then(ascii_address).ok_or_else(|| refused_error(fields, &place()))?;
        if !found.iter().any(|known| known.eq_ignore_ascii_case(&address)) {
            found.push(address);
        }
    }
    Ok(found)
}

/// Returns the display name in `from`, which may be a name, an address or `Name <address>`. The address is
/// ignored, since mail is always sent from the account's own.
///
/// # Errors
/// `VALIDATION_ERROR` for control characters, a malformed address or too long a text.
pub fn read_sender_name(fields: &Fields<'_>) -> Result<Option<String>, ApiError> {
    let Some(text) = fields.text("from", 320)? else { return Ok(None) };
    if text.chars().any(char::is_control) {
        return Err(fields.refuse("from", "must not contain control characters"));
    }
    let name = match text.split_once('<') {
        Some((name, address)) => {
            if !address.trim().strip_suffix('>').is_some_and(bounds::is_email) {
                return Err(fields.refuse("from", "must be a name, an address or `Name <address>`"));
            }
            name
        }
        None if bounds::is_email(text.trim()) => "",
        None => text,
    };
    let name = name.trim().trim_matches('"').trim();
    Ok(Some(name.to_owned()).filter(|text| !text.is_empty()))
}

fn refused_error(fields: &Fields<'_>, name: &str) -> ApiError {
    fields.refuse(name, "must be a mail address, such as maria@mail.example")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            (json!(["a@mail.example", 5]), Err("to[1] must be a mail address")),
            (json!("a"), Err("to must be a mail address")),
            (json!(5), Err("to must be a mail address")),
            (json!(null), Err("to is required")),
            (json!("a@mail.example\r\nBcc: b@mail.example"), Err("to must be a mail address")),
            (json!(vec!["a@mail.example"; 51]), Err("to must have at most 50")),
        ];
        for (to, expected) in cases {
            let body = json!({ "to": to });
            let found = read_recipients(&Fields::of_body(&body).expect("an object"));
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{to}"),
                (Err(error), Err(words)) => assert!(error.message.starts_with(words), "{}", error.message),
                (found, _) => panic!("{to}: {found:?}"),
            }
        }
    }

    #[test]
    fn only_the_name_of_a_sender_is_taken() {
        let cases = [
            ("Harbor Bicycles", Some(Some("Harbor Bicycles"))),
            ("desk@harborbicycles.example", Some(None)),
            ("\"Workshop\" <w@harborbicycles.example>", Some(Some("Workshop"))),
            ("<w@harborbicycles.example>", Some(None)),
            ("Workshop <nobody>", None),
            ("Work\r\nshop", None),
        ];
        for (from, expected) in cases {
            let body = json!({ "from": from });
            let found = read_sender_name(&Fields::of_body(&body).expect("an object"));
            assert_eq!(found.ok().as_ref().map(Option::as_deref), expected, "{from}");
        }
    }
}
