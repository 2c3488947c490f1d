//! Reads `connections.toml` of a desk, and adds or removes connections without changing the rest.

use std::io;
use std::path::Path;

use crate::connections::review::mistakes;
use crate::guard::Policy;
use api::connections::{describe_mistake, line_in, read as parse, without_connection, write};
use model::connections::Connection;

/// Returns the valid connections and descriptions of all mistakes; both empty if the file does not
/// exist.
pub fn read(path: &Path) -> (Vec<Connection>, Vec<String>) {
    let text = match disk::read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (Vec::new(), Vec::new()),
        Err(error) => return (Vec::new(), vec![format!("{}: {error}", path.display())]),
    };
    let (read, wrong) = parse_reviewed(&text);
    (read, wrong.into_iter().map(|text| format!("{}, {text}", path.display())).collect())
}

fn parse_reviewed(text: &str) -> (Vec<Connection>, Vec<String>) {
    let (read, mut wrong) = parse(text);
    let mut good = Vec::new();
    for connection in read {
        let found = mistakes(&connection, Policy::default());
        if found.is_empty() {
            good.push(connection);
        } else {
            let name = &connection.name;
            wrong.extend(
                found.into_iter().map(|entry| describe_mistake(line_in(text, name, &entry), name, &entry)),
            );
        }
    }
    (good, wrong)
}

/// Appends a connection; returns all connections.
pub fn add(path: &Path, connection: &Connection) -> Result<Vec<Connection>, String> {
    let (_, wrong) = read(path);
    if let Some(why) = wrong.first() {
        return Err(format!("{why}; nothing was changed: correct this first"));
    }
    let before = match disk::read_text(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| format!("{}: {error}", path.display()))?,
    };
    let gap = if before.is_empty() { "" } else { "\n" };
    let text = format!("{before}{gap}{}", write(std::slice::from_ref(connection)));
    let (all, wrong) = parse_reviewed(&text);
    if let Some(why) = wrong.first() {
        return Err(format!("{why}; nothing was changed"));
    }
    disk::write_with_folder(path, text.as_bytes())
        .map_err(|error| format!("could not write {}: {error}", path.display()))?;
    Ok(all)
}

/// Removes a connection; returns the remaining ones.
pub fn remove(path: &Path, name: &str) -> Result<Vec<Connection>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let before = disk::read_text(path).map_err(|error| failed(&error))?;
    let text = without_connection(&before, name).map_err(|why| failed(&why))?;
    let text = text.ok_or_else(|| failed(&format!("it has no connection named {name:?}")))?;
    disk::write_with_folder(path, text.as_bytes())
        .map_err(|error| format!("could not write {}: {error}", path.display()))?;
    Ok(parse_reviewed(&text).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_added_and_the_rest_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("connections.toml");
        assert_eq!(read(&path), (Vec::new(), Vec::new()));
        let shop = Connection::new("shop", "https://shop.example");
        assert_eq!(add(&path, &shop), Ok(vec![shop.clone()]));
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::write(&path, format!("# mine\n{text}")).expect("written");
        let stock = Connection::new("stock", "https://stock.example");
        assert_eq!(add(&path, &stock), Ok(vec![shop.clone(), stock]));
        assert!(std::fs::read_to_string(&path).expect("there").starts_with("# mine\n"));
        assert_eq!(remove(&path, "stock"), Ok(vec![shop.clone()]));
        assert!(remove(&path, "stock").expect_err("gone").contains("no connection named \"stock\""));
        let again = add(&path, &shop).expect_err("twice");
        assert!(again.contains("two connections are named \"shop\""), "{again}");
        let inside = Connection::new("inside", "https://10.0.0.1");
        assert!(add(&path, &inside).expect_err("private").contains("private_hosts"));
        std::fs::write(&path, "[[connection]]\nname = \"a\"\nsecret = \"s3cret\"\n").expect("written");
        let (_, wrong) = read(&path);
        assert!(wrong[0].contains("connections.toml, line 3: unknown field `secret`"), "{wrong:?}");
        assert!(add(&path, &shop).expect_err("mistakes").contains("nothing was changed"));
        // Mistakes of meaning have a line number, too.
        let text = "[[connection]]\nname = \"a\"\n# where\nbase_url = \"https://10.0.0.1\"\n";
        std::fs::write(&path, text).expect("written");
        let (_, wrong) = read(&path);
        assert!(wrong[0].contains("connections.toml, line 4: connection \"a\": base_url"), "{wrong:?}");
    }
}
