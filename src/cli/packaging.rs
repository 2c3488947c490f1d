//! `completions` and `man`: what packagers put beside the binary.
//!
//! Made from the command line's own description, so they cannot differ.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::{Command, CommandFactory, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use inbox::command::{CommandScope, TABLE, VERBS, VERBS_HEADING};
use inbox::keymap::KeyMap;

use crate::cli::{Cli, print};

/// The commands for packagers.
#[derive(Debug, Subcommand)]
pub enum Packaging {
    /// Print completions for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page, with every command and its options.
    Man,
}

/// Prints what was asked for.
///
/// # Errors
/// When standard output takes nothing.
pub fn run(what: &Packaging) -> Result<()> {
    let mut page = Vec::new();
    match what {
        Packaging::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "frontdesk", &mut page);
        }
        Packaging::Man => manual(&mut page).context("making the manual page")?,
    }
    print::page(&page)
}

/// One page: the inbox, then each command below it with what it takes.
fn manual(page: &mut Vec<u8>) -> io::Result<()> {
    let mut root = Cli::command();
    root.build();
    let man = Man::new(root.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    writeln!(page, ".SH COMMANDS")?;
    commands(&root, page)?;
    keys().to_writer(page)?;
    let mut exit = Vec::new();
    man.render_extra_section(&mut exit)?;
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    body(&exit, page)?;
    man.render_version_section(page)
}

/// The keys of the inbox, and what is typed there after `:`.
fn keys() -> Roff {
    let keymap = KeyMap::default();
    let mut page = Roff::new();
    page.control("SH", ["KEYS"]);
    for place in CommandScope::ALL {
        page.control("SS", [place.heading()]);
        for row in TABLE.iter().filter(|it| it.place == place) {
            let keys = keymap.all(row.command).join(", ");
            page.control("TP", []).text([bold(keys)]).text([roman(keymap.doc(row.command))]);
        }
    }
    page.control("SS", [VERBS_HEADING]);
    for verb in VERBS {
        page.control("TP", []).text([bold(verb.typed())]).text([roman(verb.doc)]);
    }
    page
}

/// The commands below one, in the order of the help, each before those below
/// it.
fn commands(above: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    for command in above.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help") {
        let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
        writeln!(page, ".SS \"{name}\"")?;
        // The same of every command: said once, at the top.
        let man = Man::new(command.clone().mut_arg("help", |it| it.hide(true)));
        let mut parts = Vec::new();
        man.render_synopsis_section(&mut parts)?;
        writeln!(parts, ".PP")?;
        man.render_description_section(&mut parts)?;
        man.render_options_section(&mut parts)?;
        body(&parts, page)?;
        commands(command, page)?;
    }
    Ok(())
}

/// Sections without their headings and what stands before them.
fn body(sections: &[u8], page: &mut Vec<u8>) -> io::Result<()> {
    let is_heading = |it: &&str| [".SH ", ".ie ", ".el "].iter().any(|word| it.starts_with(word));
    let text = String::from_utf8_lossy(sections);
    text.lines().filter(|it| !is_heading(it)).try_for_each(|it| writeln!(page, "{it}"))
}
