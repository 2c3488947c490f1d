//! The person's own editor on a private temporary file.
//!
//! The caller has given the terminal back.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::shell::{children, lending};
use model::text;

/// Bytes of an edited text that are read back at most.
const BYTES: u64 = 1024 * 1024;

/// Edits a text with `$VISUAL` or `$EDITOR`, and waits for its end.
pub fn edit(text: &str) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|it| std::env::var(it).ok());
    let editor = named.filter(|it| !it.trim().is_empty()).unwrap_or_else(|| "vi".to_owned());
    let file = TemporaryFile::with(text).map_err(|it| format!("a file for it could not be made: {it}"))?;
    match lending::lend(|| run(&editor, &file.0)) {
        Ok(status) if status.success() => file.read().map_err(|it| format!("what it left: {it}")),
        Ok(status) => Err(format!("{editor} ended with {status}")),
        Err(error) => Err(format!("{editor} could not be started ({error}); set VISUAL or EDITOR")),
    }
}

/// By the shell, as an editor's name may have switches.
fn run(editor: &str, file: &Path) -> io::Result<std::process::ExitStatus> {
    lending::run(children::command("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("frontdesk").arg(file))
}

/// A file that only its owner reads, and that goes when it is dropped.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn with(text: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("frontdesk-{}.txt", uuid::Uuid::new_v4()));
        let mut file = disk::create(&path)?;
        let made = Self(path);
        file.write_all(text::plain(text).as_bytes())?;
        file.write_all(b"\n")?;
        Ok(made)
    }

    fn read(&self) -> io::Result<String> {
        let mut text = String::new();
        File::open(&self.0)?.take(BYTES).read_to_string(&mut text)?;
        Ok(text)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::warn!(%error, "the editor's file could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_given_what_acts_on_nothing() {
        for (outside, leaves) in model::text::HOSTILE {
            let file = TemporaryFile::with(outside).expect("written");
            assert_eq!(file.read().expect("text"), format!("{leaves}\n"));
        }
    }
}
