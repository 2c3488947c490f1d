//! `mcp`: the Model Context Protocol on standard input and output, for a person's assistant. It reads stored
//! conversations and customer data from connections, and writes proposals and notes. It has no channel key,
//! sends no request to a channel's server, and sends no message.

mod arguments;
mod catalog;
mod looking_up;
mod protocol;
mod tools;

use std::io::{BufRead, Read};

use anyhow::{Context, Result};
use clap::Args;

use crate::cli::scripting::Files;
use crate::cli::{CliError, print};
use protocol::McpConnection;
use tools::ToolBox;

const MAX_MESSAGE_BYTES: u64 = 1 << 20;

/// The switches of `mcp`.
#[derive(Debug, Args)]
pub struct McpArguments {
    /// Offer only tools that read.
    #[arg(long)]
    pub read_only: bool,
    /// Print the calls of assistants and their results, newest first, and exit.
    #[arg(long)]
    pub log: bool,
}

const MAX_PRINTED_ENTRIES: u32 = 1_000;

pub fn run(arguments: &McpArguments) -> Result<(), CliError> {
    let files = Files::open()?;
    if arguments.log {
        return Ok(print_log(&files)?);
    }
    let tools = ToolBox::new(files, arguments.read_only)?;
    let mut session = McpConnection::new(tools);
    Ok(serve(&mut std::io::stdin().lock(), &mut session)?)
}

fn print_log(files: &Files) -> Result<()> {
    files.store.assistant_calls(MAX_PRINTED_ENTRIES)?.into_iter().try_for_each(|assistant_call| {
        let at = assistant_call.at.to_string();
        print::line(&print::columns(&[
            at,
            assistant_call.assistant.to_string(),
            assistant_call.asked,
            assistant_call.channel,
            assistant_call.conversation,
            assistant_call.outcome,
        ]))
    })
}

/// Answers messages, one a line, until the input ends.
fn serve(input: &mut impl BufRead, session: &mut McpConnection) -> Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input
            .by_ref()
            .take(MAX_MESSAGE_BYTES)
            .read_until(b'\n', &mut line)
            .context("could not read a message")?;
        if read == 0 {
            return Ok(());
        }
        let is_cut = read as u64 == MAX_MESSAGE_BYTES && line.last() != Some(&b'\n');
        if is_cut {
            input.skip_until(b'\n').context("could not read a message")?;
        }
        let answer = if is_cut { Some(protocol::too_long_error()) } else { session.answer_line(&line) };
        if let Some(answer) = answer {
            print::json(&answer)?;
        }
    }
}
