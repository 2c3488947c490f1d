//! `admin credits`: shows and changes the balance.

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::time::Clock;
use service::admin::{Admin, CreditChange};

/// The switches of `admin credits`.
#[derive(Debug, Args)]
pub struct CreditArguments {
    /// Set the balance to this number.
    #[arg(long, value_name = "N", conflicts_with = "add", value_parser = clap::value_parser!(i64).range(0..=1_000_000_000))]
    set: Option<i64>,
    /// Add this number to the balance; a negative number subtracts.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    add: Option<i64>,
}

/// # Errors
/// When the balance would fall below zero, or the database fails.
pub async fn run(admin: &Admin, arguments: CreditArguments, json: bool) -> Result<()> {
    let change = arguments.set.map(CreditChange::Set).or(arguments.add.map(CreditChange::Add));
    let balance =
        admin.credits(change, SystemClock.now()).await.context("could not read or change the balance")?;
    if json {
        return print::json(&json!({ "balance": balance }));
    }
    print::line(&print::count(balance, "credit"))
}
