//! Records a voice note with a command of the person, which has the terminal until it ends.

use std::io;
use std::path::Path;
use std::process::ExitStatus;

use crate::shell::{children, terminal_lending};

/// Name of the recording in its private folder.
const FILE_NAME: &str = "voice.ogg";

/// Runs the command and returns the path of its recording. A command that ends with an error after it has
/// written the file counts as ended by the person.
///
/// # Errors
/// If the command cannot be started or leaves no recording.
pub fn record(command: &[String]) -> Result<String, String> {
    let (name, _) = uuid::Uuid::new_v4().as_u64_pair();
    let folder = std::env::temp_dir().join(format!("frontdesk-voice-{name:016x}"));
    disk::create_own_folder(&folder).map_err(|error| format!("could not create a folder: {error}"))?;
    let file = folder.join(FILE_NAME);
    let program = command.first().map_or("", String::as_str);
    let ended = terminal_lending::lend(|| run(command, &file));
    let status = ended.map_err(|error| format!("{program} could not be started: {error}"))?;
    match std::fs::metadata(&file) {
        Ok(facts) if facts.is_file() && facts.len() > 0 => Ok(file.to_string_lossy().into_owned()),
        _ => {
            // Only an empty folder is removed.
            let _ = std::fs::remove_dir(&folder);
            Err(format!("{program} ended with {status} and left no recording"))
        }
    }
}

/// Runs the command; without `{file}` the path is its last argument.
fn run(command: &[String], file: &Path) -> io::Result<ExitStatus> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("no command is configured"))?;
    let path = file.to_string_lossy();
    let mut started = children::command(program);
    started.args(arguments.iter().map(|argument| argument.replace("{file}", &path)));
    if !arguments.iter().any(|argument| argument.contains("{file}")) {
        started.arg(file);
    }
    terminal_lending::run(&mut started)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(command: &[&str]) -> Result<String, String> {
        record(&command.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn command_leaves_a_recording_or_says_why_not() {
        let path = recorded(&["cp", "/etc/hostname", "{file}"]).expect("a recording");
        assert!(Path::new(&path).is_file() && path.ends_with(FILE_NAME));
        std::fs::remove_dir_all(Path::new(&path).parent().expect("a folder")).expect("removed");
        let path = recorded(&["cp", "/etc/hostname"]).expect("a recording");
        std::fs::remove_dir_all(Path::new(&path).parent().expect("a folder")).expect("removed");
        assert!(recorded(&["true"]).is_err_and(|why| why.contains("left no recording")));
        assert!(
            recorded(&["frontdesk-no-such-recorder"]).is_err_and(|why| why.contains("could not be started"))
        );
        assert!(record(&[]).is_err());
    }
}
