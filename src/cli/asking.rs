//! Questions of a command at a terminal; each can be answered by a switch instead.

use std::io;

use anyhow::anyhow;

use crate::cli::CliError;
use crate::shell::prompt;

/// Further answers that may be given after a refused one.
pub const MAX_RETRIES: u32 = 4;

pub struct Question<'a> {
    pub text: &'a str,
    pub switch: &'a str,
    /// Answer if nothing is typed or there is no terminal; `None` if an answer is required.
    pub default: Option<&'a str>,
}

impl Question<'_> {
    /// Returns the value of the switch, or an answer. A required answer is asked for until there is one.
    pub fn resolve(&self, given: Option<&str>) -> Result<String, CliError> {
        if let Some(given) = given {
            return Ok(given.trim().to_owned());
        }
        if !prompt::can_ask() {
            return self.default.map(str::to_owned).ok_or_else(|| {
                CliError::Usage(format!("no terminal to ask for a value: give {}", self.switch))
            });
        }
        let question = match self.default {
            None => self.text.to_owned(),
            Some("") => format!("{} (optional)", self.text),
            Some(default) => format!("{} [{default}]", self.text),
        };
        loop {
            let answer = prompt::ask_line(&question).map_err(prompt_error)?;
            match (answer.as_str(), self.default) {
                ("", Some(default)) => return Ok(default.to_owned()),
                ("", None) => {}
                _ => return Ok(answer),
            }
        }
    }
}

/// Repeats questions until their answers fit. `answer` gets false in the first round; in the others it asks
/// without the switches. Without a terminal, or if nothing was asked for, there is one round.
pub fn repeat<T>(
    asks: bool,
    mut answer: impl FnMut(bool) -> Result<Result<T, CliError>, CliError>,
) -> Result<T, CliError> {
    let mut again = false;
    loop {
        match answer(again)? {
            Ok(value) => return Ok(value),
            Err(error) if !asks || !prompt::can_ask() => return Err(error),
            Err(error) => prompt::print_wrapped(&format!("{error}.")).map_err(prompt_error)?,
        }
        again = true;
    }
}

/// Asks for a secret. If the input ends, the error names the secret and `source`, which replaces the prompt.
pub fn ask_secret(question: &str, source: &str) -> Result<String, CliError> {
    prompt::ask_secret(question).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => CliError::Failed(anyhow!(
            "the input ended without an answer to {question:?}: write it in the first line of standard input, \
             or use {source}; nothing was changed"
        )),
        _ => prompt_error(error),
    })
}

/// Error of a command whose question got no answer.
pub fn prompt_error(error: io::Error) -> CliError {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the input ended".to_owned(),
        io::ErrorKind::Interrupted => "interrupted".to_owned(),
        _ => error.to_string(),
    };
    CliError::Failed(anyhow!("{why}; nothing was changed"))
}
