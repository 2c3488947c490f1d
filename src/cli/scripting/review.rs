//! `review export`: reviews of AI answers, as JSON lines or as questions and answers for the service's
//! assistant.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use serde_json::{Value, json};

use crate::cli::scripting::Files;
use crate::cli::{completing, print};
use model::reviews::{ReviewVerdict, ReviewedAnswer, write_question_file};

/// The commands about reviews.
#[derive(Debug, Subcommand)]
pub enum ReviewAction {
    /// Export the reviews of the AI's answers; works offline.
    Export(ReviewExportArguments),
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReviewFormat {
    /// One JSON object per line and answer, oldest first.
    Jsonl,
    /// Questions and answers, in the format of the `questions` files of the service's assistant.
    Questions,
}

/// The switches of `review export`.
#[derive(Debug, Args)]
pub struct ReviewExportArguments {
    /// Only this channel, by its configured name.
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(completing::channels))]
    pub channel: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ReviewFormat::Jsonl)]
    pub format: ReviewFormat,
}

/// `frontdesk review`
///
/// # Errors
/// When a channel is unknown or the files fail.
pub fn run(files: &Files, action: &ReviewAction) -> Result<()> {
    let ReviewAction::Export(arguments) = action;
    let channel = files.channel(arguments.channel.as_deref())?;
    let reviewed = files.store.reader()?.reviewed_answers(channel.as_ref())?;
    match arguments.format {
        ReviewFormat::Jsonl => {
            reviewed.iter().try_for_each(|reviewed_answer| print::json(&as_json(files, reviewed_answer)))
        }
        ReviewFormat::Questions => print::page(write_question_file(&reviewed).as_bytes()),
    }
}

fn as_json(files: &Files, review: &ReviewedAnswer) -> Value {
    let (verdict, reason, corrected) = match &review.verdict {
        ReviewVerdict::Good => ("good", None, None),
        ReviewVerdict::Bad { reason, corrected } => {
            ("bad", Some(reason.word()), Some(corrected.as_str()).filter(|entry| !entry.is_empty()))
        }
    };
    json!({
        "channel": files.name_of(&review.entry.channel),
        "conversation": review.entry.conversation.as_str(),
        "message": review.entry.message.as_str(),
        "at": review.entry.at.to_string(),
        "question": review.entry.question.as_str(),
        "answer": review.entry.answer.as_str(),
        "verdict": verdict,
        "reason": reason,
        "corrected": corrected,
        "reviewer": review.reviewer.as_str(),
        "reviewedAt": review.reviewed_at.to_string(),
    })
}
