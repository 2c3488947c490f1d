//! `frontdesk dev fuzz-html`: checks the text of random HTML mails and the time it takes to make.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;

use crate::cli::print;
use crate::shell::clock;
use sync::fuzz_mail;

const MAX_CONVERSION_TIME: Duration = Duration::from_millis(200);
/// Repetitions of a slow document: the machine may have been busy.
const MAX_REPEATS: u32 = 5;

/// Arguments of `dev fuzz-html`.
#[derive(Debug, Args)]
pub struct FuzzArguments {
    /// Number of documents.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    count: u64,
    /// Number of the first document; the same number makes the same document.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

/// # Errors
/// When the text of one contains more than text or takes too long, with the document's number.
pub fn fuzz(arguments: &FuzzArguments) -> Result<()> {
    let began = clock::instant();
    let (mut longest, mut slowest) = (Duration::ZERO, arguments.seed);
    for seed in arguments.seed..arguments.seed.saturating_add(arguments.count) {
        let mut took = convert_one(seed)?;
        for _ in 0..MAX_REPEATS {
            if took <= MAX_CONVERSION_TIME {
                break;
            }
            took = took.min(convert_one(seed)?);
        }
        if took > MAX_CONVERSION_TIME {
            bail!(
                "document {seed} takes {} ms; {} are the most",
                took.as_millis(),
                MAX_CONVERSION_TIME.as_millis()
            );
        }
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

/// Returns the time it took.
fn convert_one(seed: u64) -> Result<Duration> {
    let before = clock::instant();
    if let Err(why) = fuzz_mail(seed) {
        bail!("document {seed}: {why}");
    }
    Ok(before.elapsed())
}
