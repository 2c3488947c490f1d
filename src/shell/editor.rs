//! Edits a text in the person's editor, in a private temporary file.
//!
//! The caller has released the terminal. A text that cannot be used is kept in its file, which the error
//! names.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::shell::{children, terminal_lending};
use inbox::components::text_buffer::MAX_CHARS;
use model::bounds;
use model::text;

const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Edits a text with `$VISUAL` or `$EDITOR` and waits for the editor's end.
pub fn edit(text: &str) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|text| std::env::var(text).ok());
    let editor = named.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| "vi".to_owned());
    let file =
        TemporaryFile::create(text).map_err(|error| format!("could not create a temporary file: {error}"))?;
    match terminal_lending::lend(|| run(&editor, &file.path)) {
        Ok(status) if status.success() => file.take_text(),
        // Ended by a signal: the text was not discarded on purpose.
        Ok(status) if status.code().is_none() => {
            Err(file.leave_file(&format!("{editor} ended with {status}")))
        }
        Ok(status) => Err(format!("{editor} ended with {status}")),
        Err(error) => Err(format!("{editor} could not be started ({error}); set VISUAL or EDITOR")),
    }
}

/// Runs the editor through the shell, since its setting may hold arguments.
fn run(editor: &str, file: &Path) -> io::Result<std::process::ExitStatus> {
    terminal_lending::run(
        children::command("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("frontdesk").arg(file),
    )
}

/// File readable by its owner only, removed on drop unless kept.
struct TemporaryFile {
    path: PathBuf,
    is_kept: bool,
}

impl TemporaryFile {
    fn create(text: &str) -> io::Result<Self> {
        let (name, _) = uuid::Uuid::new_v4().as_u64_pair();
        let path = std::env::temp_dir().join(format!("frontdesk-{name:016x}.txt"));
        let mut file = disk::create(&path)?;
        let made = Self { path, is_kept: false };
        file.write_all(text::escape_unseen(text).as_bytes())?;
        file.write_all(b"\n")?;
        Ok(made)
    }

    /// Returns the text, or an error that names the kept file.
    fn take_text(self) -> Result<String, String> {
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_TEXT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let read = File::open(&self.path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
        if let Err(error) = read {
            return Err(self.leave_file(&format!("could not read the file: {error}")));
        }
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(self.leave_file(&format!("it is larger than {} KB", MAX_TEXT_BYTES / 1024)));
        }
        match String::from_utf8(bytes) {
            Ok(text) if bounds::count_chars(&text::clean_pasted(text.trim_end_matches('\n'))) > MAX_CHARS => {
                Err(self.leave_file(&format!("longer than {MAX_CHARS} characters")))
            }
            Ok(text) => Ok(text),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
                Err(self.leave_file(&format!("line {line} is not UTF-8")))
            }
        }
    }

    /// Keeps the file. Returns its path with the reason.
    fn leave_file(mut self, why: &str) -> String {
        self.is_kept = true;
        format!("saved in {}: {why}", self.path.display())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "the temporary file of the editor could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_is_given_what_acts_on_nothing() {
        for (outside, leaves) in model::text::HOSTILE_TEXTS {
            let file = TemporaryFile::create(outside).expect("written");
            assert_eq!(file.take_text().expect("text"), format!("{leaves}\n"));
        }
    }

    #[test]
    fn a_text_that_cannot_be_taken_over_stays_in_its_file() {
        let long = "x".repeat(MAX_CHARS + 1).into_bytes();
        for (bytes, why) in [
            (b"Guten Tag\nsch\xf6nen Gru\xdf\n".as_slice(), "line 2 is not UTF-8"),
            (&long, "longer than 20000 characters"),
            (&vec![b'\n'; MAX_TEXT_BYTES + 1], "it is larger than 1024 KB"),
        ] {
            let file = TemporaryFile::create("").expect("written");
            let path = file.path.clone();
            fs::write(&path, bytes).expect("written");
            let said = file.take_text().expect_err("no text");
            assert_eq!(said, format!("saved in {}: {why}", path.display()));
            assert_eq!(fs::read(&path).expect("still there"), bytes);
            fs::remove_file(&path).expect("removed");
        }
        let file = TemporaryFile::create("").expect("written");
        let path = file.path.clone();
        fs::write(&path, "y".repeat(MAX_CHARS) + "\n").expect("written");
        assert!(file.take_text().is_ok() && !path.exists(), "what is taken over leaves no file");
    }
}
