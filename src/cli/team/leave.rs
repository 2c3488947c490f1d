//! `frontdesk leave`: ends the session, and removes its tabs and keys; drafts and unsent messages are kept.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use serde_json::json;

use crate::cli::channel::{ConfigFile, count_kept};
use crate::cli::folders::DeskFolders;
use crate::cli::team::{LeaveArguments, about_url};
use crate::cli::unfinished::{CommandRefusal, RemainingState, Unfinished};
use crate::cli::{CliError, desk, print};
use crate::config::edit;
use crate::config::keys::{KeyLocation, session};
use crate::config::membership::{self, Membership};
use crate::shell::clock::SystemClock;
use crate::shell::prompt;
use client::{Client, RequestFailure, WriteOutcome};
use model::secret::Secret;

pub fn run(arguments: &LeaveArguments) -> Result<(), CliError> {
    let file = ConfigFile::read()?;
    let folder = file.folder();
    let Some(joined) = membership::read(&folder).map_err(|why| anyhow!(why))? else {
        let words = "this desk has joined no team; `frontdesk join URL` joins one";
        return Err(anyhow::Error::from(CommandRefusal::not_found(words)).into());
    };
    if !arguments.yes {
        if !prompt::can_ask() {
            return Err(CliError::Usage("no terminal to ask for confirmation: add --yes".to_owned()));
        }
        let question = format!(
            "Leave {} and remove the tabs {} and their keys? y/n",
            joined.base_url,
            joined.channels.join(", ")
        );
        let answer = prompt::ask_line(&question).context("could not ask for confirmation")?;
        if !answer.eq_ignore_ascii_case("y") {
            return Err(CliError::Failed(anyhow!("nothing was removed")));
        }
    }
    let (mut drafts, mut unsent) = (0, 0);
    for channel in file.config.channels.iter().filter(|channel| joined.channels.contains(&channel.name)) {
        let kept = count_kept(&channel.id())?;
        (drafts, unsent) = (drafts + kept.0, unsent + kept.1);
    }
    let is_ended = match session::fetch(&folder, &joined.base_url) {
        Ok(session) => end_session(arguments, &joined, &session)?,
        Err(_) if arguments.offline => false,
        Err(why) => return Err(anyhow!("{why}; to remove the tabs all the same, add --offline").into()),
    };
    remove(&file, &joined)?;
    if arguments.json {
        let item = json!({"ok": true, "service": joined.base_url, "sessionEnded": is_ended,
            "channels": joined.channels, "draftsKept": drafts, "unsentKept": unsent});
        return Ok(print::json(&item)?);
    }
    let removed = match joined.channels.is_empty() {
        true => "it had no tabs".to_owned(),
        false => format!("removed: {}", joined.channels.join(", ")),
    };
    print::line(&format!("left {}; {removed}", joined.base_url))?;
    if !is_ended {
        print::line("the service was not told: `frontdesk admin person remove` ends the session there")?;
    }
    if drafts + unsent > 0 {
        print::line(&format!(
            "kept: {} and {}; to get them back, join again or add channels of the same names",
            print::count(drafts, "draft"),
            print::count(unsent, "unsent message")
        ))?;
    }
    Ok(())
}

/// Ends the session at the service. Returns false if that failed and `--offline` allows it.
fn end_session(arguments: &LeaveArguments, joined: &Membership, session: &Secret) -> Result<bool, CliError> {
    let client =
        Client::new(&joined.base_url, session, Arc::new(SystemClock)).map_err(|why| about_url(&why))?;
    let outcome = desk::runtime()?.block_on(client.sign_out());
    // 401: the session has ended already.
    let is_ended = matches!(outcome, WriteOutcome::Done(_))
        || outcome.refusal().is_some_and(|refusal| refusal.status == 401);
    match RequestFailure::of_write(&outcome) {
        Some(failure) if !is_ended && !arguments.offline => Err(anyhow::Error::from(Unfinished {
            failure: failure.of_sign_in(),
            remaining: RemainingState::Nothing,
            channel: joined.base_url.clone(),
            what:
                "could not end the session, and removed nothing; `frontdesk leave --offline` removes the tabs"
                    .to_owned(),
        })
        .into()),
        _ => Ok(is_ended),
    }
}

/// Removes tabs, keys, session and membership, in this order: after a failure, `leave` can be repeated.
fn remove(file: &ConfigFile, joined: &Membership) -> anyhow::Result<()> {
    let folder = file.folder();
    let mut text = file.text()?;
    for name in &joined.channels {
        let changed = edit::without_channel(&text, name);
        text = changed.map_err(|why| anyhow!("{}: {why}", file.path.display()))?.unwrap_or(text);
        let place = KeyLocation { folder: &folder, channel: name, base_url: &joined.base_url };
        place.forget().map_err(|why| anyhow!(why))?;
    }
    edit::write(&file.path, &text).with_context(|| format!("could not write {}", file.path.display()))?;
    session::forget(&folder).map_err(|why| anyhow!(why))?;
    let files = DeskFolders::find()?;
    if files.data.join("outbox.db").exists() {
        files.open(String::new())?.set_team(&[])?;
    }
    membership::remove(&folder).map_err(|why| anyhow!(why))
}
