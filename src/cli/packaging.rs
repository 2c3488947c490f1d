//! `completions`, `man` and `config schema`: files for packagers and editors.
//!
//! Generated from the command line definition and the settings table.

use anyhow::{Context, Result};
use clap::Subcommand;
use clap_complete::Shell;

use crate::cli::manual::{self, ManualPage};
use crate::cli::{completing, print};
use crate::config::schema;

/// The commands for packagers.
#[derive(Debug, Subcommand)]
pub enum Packaging {
    /// Print completions for a shell, including channels and conversations.
    Completions {
        /// Shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print a manual page.
    Man {
        /// Page to print.
        #[arg(value_enum, default_value_t = ManualPage::Frontdesk)]
        page: ManualPage,
    },
    /// Print the schema of config.toml.
    #[command(subcommand)]
    Config(ConfigAction),
}

/// The commands about the configuration file.
#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Print the JSON Schema of config.toml, with which editors complete and check it.
    Schema,
}

pub fn run(what: &Packaging) -> Result<()> {
    let mut page = Vec::new();
    match what {
        Packaging::Completions { shell } => {
            completing::script(*shell, &mut page).context("could not make the completions")?;
        }
        Packaging::Man { page: which } => {
            manual::write(*which, &mut page).context("could not make the manual page")?;
        }
        Packaging::Config(ConfigAction::Schema) => {
            page = serde_json::to_vec_pretty(&schema::schema()).context("could not make the schema")?;
            page.push(b'\n');
        }
    }
    print::page(&page)
}
