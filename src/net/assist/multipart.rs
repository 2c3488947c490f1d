//! Multipart form encoding of a file with fields.

pub(crate) fn form(fields: &[(&str, &str)], file: (&str, &str, &[u8])) -> (Vec<u8>, String) {
    let boundary = format!("frontdesk-{}", uuid::Uuid::new_v4().simple());
    let mut body = Vec::with_capacity(file.2.len() + 1_024);
    for (name, value) in fields {
        let part =
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let (name, content_type, bytes) = file;
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
         content-type: {content_type}\r\n\r\n",
        plain(name)
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (body, format!("multipart/form-data; boundary={boundary}"))
}

/// Returns the file name without characters that could end it.
fn plain(name: &str) -> String {
    let is_plain =
        |character: &char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    let plain: String = name.chars().filter(is_plain).take(80).collect();
    if plain.is_empty() { "file".to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_ends_where_it_says_and_names_end_nothing() {
        let (body, content_type) = form(&[("model", "small")], ("a\"\r\nb.ogg", "audio/ogg", b"\0\xff"));
        let boundary = content_type.split("boundary=").nth(1).expect("a boundary");
        let text = String::from_utf8_lossy(&body);
        assert!(
            text.contains("filename=\"ab.ogg\"") && text.ends_with(&format!("\r\n--{boundary}--\r\n")),
            "{text}"
        );
        assert_eq!(text.matches(boundary).count(), 3);
        assert_eq!(plain("\u{202e}"), "file");
    }
}
