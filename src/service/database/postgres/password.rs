//! Reads the password from the environment or a file, as `psql` does, because other users of the
//! machine could read it in the URL.

use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

struct Login<'a> {
    host: &'a str,
    port: u16,
    database: &'a str,
    user: &'a str,
}

/// Returns the password of a server: `PGPASSWORD`, or the entry for its first host in `PGPASSFILE`
/// or `~/.pgpass`.
pub fn find_password(config: &Config) -> Option<String> {
    let named = |name| std::env::var_os(name).filter(|var_os| !var_os.is_empty());
    if let Some(password) = named("PGPASSWORD") {
        return password.into_string().ok();
    }
    let usual = || Some(PathBuf::from(named("HOME")?).join(".pgpass"));
    let file = named("PGPASSFILE").map(PathBuf::from).or_else(usual)?;
    let user = config.get_user()?;
    let login = Login {
        host: config.get_hosts().first().map_or("localhost", host_name),
        port: config.get_ports().first().copied().unwrap_or(5432),
        database: config.get_dbname().unwrap_or(user),
        user,
    };
    matching_password(&read_private(&file)?, &login)
}

fn host_name(host: &Host) -> &str {
    match host {
        Host::Tcp(name) => name,
        // For any socket folder.
        #[cfg(unix)]
        Host::Unix(_) => "localhost",
    }
}

fn read_private(file: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if std::fs::metadata(file).ok()?.permissions().mode() & 0o077 != 0 {
            tracing::warn!(
                file = %file.display(),
                "the password file can be read by others and was ignored; run chmod 600 on it"
            );
            return None;
        }
    }
    std::fs::read_to_string(file).ok()
}

/// Returns the password of the first matching line: `host:port:database:user:password`. Each field
/// but the last may be `*`; `\` escapes `:` and `\`.
fn matching_password(text: &str, login: &Login<'_>) -> Option<String> {
    let port = login.port.to_string();
    let wanted = [login.host, &port, login.database, login.user];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = split_fields(line).into_iter();
        let fits =
            wanted.iter().all(|text| fields.next().is_some_and(|field| field == "*" || field == *text));
        fits.then(|| fields.next()).flatten()
    })
}

fn split_fields(line: &str) -> Vec<String> {
    let (mut fields, mut letters) = (vec![String::new()], line.chars());
    while let Some(letter) = letters.next() {
        match letter {
            ':' if fields.len() < 5 => fields.push(String::new()),
            letter => {
                let meant = if letter == '\\' { letters.next() } else { Some(letter) };
                fields.last_mut().into_iter().for_each(|field| field.extend(meant));
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_says_the_password() {
        let file =
            "# ours\nother:5432:*:*:no\ndb:5433:desk:ana:no\ndb:5432:desk:ana:a\\:b\\\\c:d\n*:*:*:*:any\n";
        let cases = [
            (("db", 5432, "desk", "ana"), Some("a:b\\c:d")),
            (("db", 5432, "desk", "bea"), Some("any")),
            (("other", 5432, "x", "y"), Some("no")),
        ];
        for ((host, port, database, user), password) in cases {
            let login = Login { host, port, database, user };
            assert_eq!(matching_password(file, &login).as_deref(), password, "{host} {user}");
        }
        let login = Login { host: "db", port: 1, database: "d", user: "u" };
        assert_eq!(matching_password("db:1:d\n:\nother:1:d:u:p", &login), None);
    }
}
