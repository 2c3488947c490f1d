//! Removes a connection from a document and preserves the rest, including comments.

use toml_edit::{DocumentMut, Item};

/// Returns the document without the connection called `name`; `None` if there is none.
pub fn without_connection(text: &str, name: &str) -> Result<Option<String>, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
    let tables = document.get_mut("connection").and_then(Item::as_array_of_tables_mut);
    let Some(tables) = tables else { return Ok(None) };
    let is_it = |table: &toml_edit::Table| table.get("name").and_then(Item::as_str) == Some(name);
    let Some(index) = tables.iter().position(is_it) else { return Ok(None) };
    tables.remove(index);
    if tables.is_empty() {
        document.remove("connection");
    }
    Ok(Some(document.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_goes_and_the_rest_stays_as_it_was_written() {
        let shop = "[[connection]]\nname = \"shop\"   # ours\nbase_url = \"https://shop.example\"\n\n\
                    [[connection.endpoint]]\nname = \"orders\"\npath = \"/orders\"\n";
        let stock = "# the depot\n[[connection]]\nname = \"stock\"\nbase_url = \"https://stock.example\"\n";
        let both = format!("{shop}\n{stock}");
        assert_eq!(without_connection(&both, "nobody"), Ok(None));
        assert_eq!(without_connection("", "shop"), Ok(None));
        assert_eq!(without_connection(&both, "stock"), Ok(Some(shop.to_owned())));
        assert_eq!(
            without_connection(&both, "shop").map(|entry| entry.map(|text| text.trim().to_owned())),
            Ok(Some(stock.trim().to_owned()))
        );
        assert_eq!(without_connection(shop, "shop"), Ok(Some(String::new())));
        assert!(without_connection("[[connection", "shop").is_err());
    }
}
