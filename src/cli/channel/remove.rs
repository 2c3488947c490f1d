//! `frontdesk channel remove`: removes the key and the configuration entry; drafts and unsent messages are
//! kept.

use anyhow::{Context, Result, anyhow};
use serde_json::json;

use crate::cli::channel::{ConfigFile, RemoveArguments};
use crate::cli::folders::DeskFolders;
use crate::cli::{CliError, print};
use crate::config::KeySource;
use crate::config::edit;
use crate::config::keys::KeyLocation;
use crate::shell::prompt;
use model::ids::ChannelId;

pub fn run(arguments: &RemoveArguments) -> Result<(), CliError> {
    let file = ConfigFile::read()?;
    let channel = file.named(&arguments.name)?;
    if !arguments.yes {
        if !prompt::can_ask() {
            return Err(CliError::Usage("no terminal to ask for confirmation: add --yes".to_owned()));
        }
        let question = format!("Remove {:?} ({}) and its key? y/n", channel.name, channel.base_url);
        let answer = prompt::ask_line(&question).context("could not ask for confirmation")?;
        if !answer.eq_ignore_ascii_case("y") {
            return Err(CliError::Failed(anyhow!("nothing was removed")));
        }
    }
    let kept = count_kept(&channel.id())?;
    let path = &file.path;
    let text = edit::without_channel(&file.text()?, &channel.name)
        .map_err(|why| anyhow!("{}: {why}", path.display()))?
        .with_context(|| format!("{:?} is not in {}", channel.name, path.display()))?;
    let folder = file.folder();
    if channel.key == KeySource::Kept(folder.clone()) {
        let place = KeyLocation { folder: &folder, channel: &channel.name, base_url: &channel.base_url };
        place.forget().map_err(|error| anyhow!(error))?;
    }
    edit::write(path, &text).with_context(|| format!("could not write {}", path.display()))?;
    let (drafts, unsent) = kept;
    if arguments.json {
        let item = json!({"ok": true, "channel": channel.name, "draftsKept": drafts, "unsentKept": unsent});
        return Ok(print::json(&item)?);
    }
    print::line(&format!("{:?} is removed", channel.name))?;
    if drafts + unsent > 0 {
        print::line(&format!(
            "kept: {} and {}; to get them back, add a channel of the same name",
            print::count(drafts, "draft"),
            print::count(unsent, "unsent message")
        ))?;
    }
    Ok(())
}

/// Number of drafts and unsent changes of the channel.
pub(in crate::cli) fn count_kept(channel: &ChannelId) -> Result<(u64, u64)> {
    let files = DeskFolders::find()?;
    if !files.data.join("outbox.db").exists() {
        return Ok((0, 0));
    }
    let store = files.open(String::new())?;
    Ok(store.count_drafts_and_rows(channel)?)
}
