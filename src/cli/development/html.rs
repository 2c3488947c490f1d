//! `frontdesk dev fuzz-html`: looks whether the text of mails made by chance
//! is only text, and how long it takes to make.
//!
//! Knows nothing of how text is made of them.

use anyhow::{Result, bail};
use clap::Args;

use crate::cli::print;
use crate::shell::clock;
use crate::sync::fuzz_mail;

/// How many mails.
#[derive(Debug, Args)]
pub struct FuzzArguments {
    /// How many documents.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    count: u64,
    /// The first document's number; the same number makes the same document.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// Looks at so many documents.
///
/// # Errors
/// When the text of one is more than text; names its number.
pub fn fuzz(arguments: &FuzzArguments) -> Result<()> {
    let began = clock::instant();
    let (mut longest, mut slowest) = (std::time::Duration::ZERO, arguments.seed);
    for seed in arguments.seed..arguments.seed.saturating_add(arguments.count) {
        let before = clock::instant();
        if let Err(why) = fuzz_mail(seed) {
            bail!("document {seed}: {why}");
        }
        let took = before.elapsed();
        if took > longest {
            (longest, slowest) = (took, seed);
        }
    }
    print::line(&format!(
        "{} documents in {:.1} s, all only text; the slowest, {slowest}, took {:.1} ms",
        arguments.count,
        began.elapsed().as_secs_f64(),
        longest.as_secs_f64() * 1_000.0
    ))
}
