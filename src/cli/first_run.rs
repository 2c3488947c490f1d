//! `frontdesk` without a channel: shows the first screen and replaces this process by the chosen command.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

use crate::cli::{RunMode, desk};
use crate::config::Config;
use crate::shell::{children, first_run};
use inbox::first_run::FirstStep;

pub fn run(path: &Path, config: &Config, how: RunMode) -> Result<()> {
    let step = first_run::choose_first_step(path, desk::theme(config.theme, config.ascii))?;
    let words: &[&str] = match step {
        FirstStep::Quit => return Ok(()),
        FirstStep::Demo => &["demo"],
        FirstStep::Tutor => &["demo", "--tutor"],
        FirstStep::AddChannel => &[],
    };
    let read_only = how.read_only.then_some("--read-only");
    let theme = ["--theme", config.theme.word()];
    let theme = theme.into_iter().filter(|_| matches!(step, FirstStep::Demo | FirstStep::Tutor));
    let words = read_only.into_iter().chain(words.iter().copied()).chain(theme).map(OsString::from);
    let program = std::env::current_exe().context("could not find the program file of frontdesk")?;
    children::exec_program(program, words).context("could not start frontdesk again")
}
