//! `admin move` and `admin backup`: move all data of a service between a file and PostgreSQL, or copy it to a
//! file.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueHint};
use serde_json::json;

use crate::cli::print;
use service::DatabaseLocation;
use service::database::Transfer;
use service::relocation;

/// The switches of `admin move`.
#[derive(Debug, Args)]
pub struct MoveArguments {
    /// Source database. No service may run on it. Its data stays, and it is marked so that no
    /// service starts on it.
    #[arg(long, value_name = "PATH|URL", value_hint = ValueHint::AnyPath)]
    from: DatabaseLocation,
    /// Target: an empty database, or a file that does not exist yet.
    #[arg(long, value_name = "PATH|URL", value_hint = ValueHint::AnyPath)]
    to: DatabaseLocation,
}

/// The switches of `admin backup`.
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// File to create.
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
}

/// Reports steps on standard error if it is a terminal.
fn print_steps() -> impl FnMut(&str) {
    let watched = std::io::stderr().is_terminal();
    move |step| {
        if watched {
            // The reader may have gone.
            let _ = writeln!(std::io::stderr(), "{step}");
        }
    }
}

pub fn relocate(arguments: &MoveArguments, key_file: Option<&Path>, json: bool) -> Result<()> {
    let MoveArguments { from, to } = arguments;
    let moved = relocation::relocate(from, to, key_file, &mut print_steps());
    let moved = moved.with_context(|| format!("could not move {from} to {to}"))?;
    if json {
        return print::json(&transfer_to_json(&moved));
    }
    if moved.tables.is_empty() {
        print::line("already moved before")?;
    } else {
        print::line(&format!("moved {}", summary(&moved)))?;
    }
    print_missing_files(&moved)?;
    print::line(&format!("services no longer start on {from}; serve {to} with the same key"))
}

pub fn back_up(from: &DatabaseLocation, arguments: &BackupArguments, json: bool) -> Result<()> {
    let to = arguments.to.display();
    let copied = relocation::copy_to_file(from, &arguments.to, &mut print_steps());
    let copied = copied.with_context(|| format!("could not copy {from} to {to}"))?;
    if json {
        return print::json(&transfer_to_json(&copied));
    }
    print::line(&format!("copied {}", summary(&copied)))?;
    print_missing_files(&copied)?;
    print::line(&format!("keep {to} together with {to}.media; the key is not included"))
}

fn print_missing_files(transfer: &Transfer) -> Result<()> {
    match transfer.missing_media {
        0 => Ok(()),
        1 => print::line("1 uploaded file was already missing"),
        count => print::line(&format!("{count} uploaded files were already missing")),
    }
}

fn summary(Transfer { tables, media, credits, .. }: &Transfer) -> String {
    let rows: u64 = tables.iter().map(|table| table.rows).sum();
    format!(
        "{} of {} and {}; verified, and the ledger adds up to {}",
        print::count(rows, "row"),
        print::count(tables.len(), "table"),
        print::count(media, "uploaded file"),
        print::count(credits, "credit")
    )
}

fn transfer_to_json(moved: &Transfer) -> serde_json::Value {
    let tables: serde_json::Map<_, _> =
        moved.tables.iter().map(|table| (table.name.clone(), json!(table.rows))).collect();
    json!({
        "tables": tables,
        "media": moved.media,
        "missingMedia": moved.missing_media,
        "credits": moved.credits,
    })
}
