//! Channels of the team that were connected after this desk joined.
//!
//! The service lists the channels of the workspace with the first digits of the session's keys for them. A channel
//! of which this desk has a key is known; for any other the desk asks for a key, which revokes one whose answer was
//! lost. A tab of the channel whose key is no longer valid gets the new one. The key is stored first, then the tab, then the membership, so that a process that ends in between loses
//! nothing. A tab that was removed with `frontdesk channel remove` is not added again. One process at a time looks.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::cli::channel::ConfigFile;
use crate::cli::desk;
use crate::cli::team::join::{free_name, is_tab_of, taken_names};
use crate::config::edit::{self, ChannelTable};
use crate::config::keys::{KeyLocation, session};
use crate::config::membership::{self, Membership};
use crate::shell::clock::SystemClock;
use api::team::{ChannelKey, TeamChannel};
use client::key_fingerprint;
use client::{Client, WriteOutcome};
use model::secret::Secret;
use model::text::SafeText;
use sync::{ChannelSpec, NewChannel, NewChannels};

/// Time that the start of the inbox waits for the service.
const START_TIMEOUT: Duration = Duration::from_secs(1);
const LOCK_FILE: &str = "team.lock";

/// Looks for new channels while the inbox or the engine runs.
pub fn while_running(read_only: bool) -> NewChannels {
    NewChannels(Arc::new(move || {
        let describe = |added: Result<AddedTab, String>| match added {
            Ok(AddedTab { name, is_new: true }) => match read_spec(&name, read_only) {
                Ok(spec) => NewChannel::Connected(Box::new(spec)),
                Err(why) => {
                    NewChannel::Notice(format!("The channel {name} was connected, but is not shown: {why}"))
                }
            },
            Ok(AddedTab { name, is_new: false }) => NewChannel::Notice(format!(
                "The channel {name} has a new key: start frontdesk again to use it"
            )),
            Err(why) => NewChannel::Notice(why),
        };
        Ok(add_new_channels()?.into_iter().map(describe).collect())
    }))
}

/// Reads a channel that was just added, with its key.
fn read_spec(name: &str, read_only: bool) -> Result<ChannelSpec, String> {
    let file = ConfigFile::read().map_err(|error| format!("{error:#}"))?;
    let found = file.config.channels.iter().find(|channel| channel.name == name);
    let found = found.ok_or_else(|| "it was removed again".to_owned())?;
    let spec = desk::spec(found).map_err(|error| format!("{error:#}"))?;
    Ok(ChannelSpec { read_only: spec.read_only || read_only, ..spec })
}

/// Adds new channels before the tabs are read, if the service answers soon.
pub fn add_at_start(folder: &Path) {
    if !matches!(membership::read(folder), Ok(Some(_))) {
        return;
    }
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        let added = add_new_channels();
        // Fails if the start has gone on.
        let _ = done.send(added);
    });
    if let Ok(Err(why)) = wait.recv_timeout(START_TIMEOUT) {
        tracing::info!(why, "new channels of the team could not be added");
    }
}

/// Tab of a channel that got a key.
#[derive(Debug)]
struct AddedTab {
    name: String,
    /// False for a tab that was there and got another key.
    is_new: bool,
}

/// A channel without a usable key at this desk.
struct MissingChannel {
    channel: TeamChannel,
    /// Its tab, if the tab's key is no longer one of the session's.
    tab: Option<String>,
}

/// Adds a tab for each new channel. Returns the tabs, and why a channel was not added.
fn add_new_channels() -> Result<Vec<Result<AddedTab, String>>, String> {
    let file = ConfigFile::read().map_err(|error| format!("{error:#}"))?;
    let folder = file.folder();
    let Some(mut joined) = membership::read(&folder)? else { return Ok(Vec::new()) };
    let Some(_lock) = lock(&folder)? else { return Ok(Vec::new()) };
    let session = session::fetch(&folder, &joined.base_url)?;
    let client =
        Client::new(&joined.base_url, &session, Arc::new(SystemClock)).map_err(|why| why.to_string())?;
    let runtime = desk::runtime().map_err(|error| format!("{error:#}"))?;
    let listed = runtime.block_on(client.team_channels()).map_err(|error| error.to_string());
    let added = listed.and_then(|listed| {
        // Read under the lock: another process may have added tabs.
        let file = ConfigFile::read().map_err(|error| format!("{error:#}"))?;
        let missing = find_missing(&file, &mut joined, listed.unwrap_or_default())?;
        let mut added = Vec::new();
        for MissingChannel { channel, tab } in missing {
            let name = SafeText::line(&channel.name);
            let outcome = runtime.block_on(client.create_channel_key(&channel.id));
            let refusal = outcome.refusal().map(|refusal| refusal.message.to_string());
            match (outcome, refusal) {
                (WriteOutcome::Done(key), _) => added.push(Ok(keep(&mut joined, &key, tab)?)),
                (_, Some(why)) => {
                    added.push(Err(format!("The channel {name} was connected, but is not shown: {why}")));
                }
                // The next look asks again.
                (_, None) => {}
            }
        }
        Ok(added)
    });
    runtime.shutdown_background();
    added
}

/// Returns the channels that this desk has no key for. Adds tabs to the membership that an ended process stored.
fn find_missing(
    file: &ConfigFile,
    joined: &mut Membership,
    listed: Vec<TeamChannel>,
) -> Result<Vec<MissingChannel>, String> {
    let mut known: Vec<(String, String)> = Vec::new();
    for channel in file.config.channels.iter().filter(|channel| channel.base_url == joined.base_url) {
        match channel.fetch_key() {
            Ok(key) => known.push((channel.name.clone(), key_fingerprint(&key))),
            Err(error) if joined.channels.contains(&channel.name) => return Err(error.to_string()),
            Err(_) => {}
        }
    }
    let is_listed =
        |digits: &String| listed.iter().any(|channel: &TeamChannel| channel.keys.contains(digits));
    let without_key: Vec<String> = known
        .iter()
        .filter(|(name, digits)| joined.channels.contains(name) && !is_listed(digits))
        .map(|(name, _)| name.clone())
        .collect();
    let tabs: HashSet<&str> = file.config.channels.iter().map(|channel| channel.name.as_str()).collect();
    let removed: Vec<String> =
        joined.channels.iter().filter(|name| !tabs.contains(name.as_str())).cloned().collect();
    let mut missing = Vec::new();
    for channel in listed {
        if let Some((name, _)) = known.iter().find(|(_, digits)| channel.keys.contains(digits)) {
            if !joined.channels.contains(name) {
                joined.channels.push(name.clone());
                membership::write(&file.folder(), joined)?;
            }
        } else if let Some(tab) = without_key.iter().find(|tab| is_tab_of(tab, &channel.name)) {
            missing.push(MissingChannel { tab: Some(tab.clone()), channel });
        } else if !removed.iter().any(|tab| is_tab_of(tab, &channel.name)) {
            missing.push(MissingChannel { tab: None, channel });
        }
    }
    Ok(missing)
}

/// Stores the key of a channel, and a tab if it has none.
fn keep(joined: &mut Membership, channel: &ChannelKey, tab: Option<String>) -> Result<AddedTab, String> {
    let file = ConfigFile::read().map_err(|error| format!("{error:#}"))?;
    let folder = file.folder();
    let key = Secret::new(&channel.key);
    if let Some(name) = tab {
        KeyLocation { folder: &folder, channel: &name, base_url: &joined.base_url }.store(&key)?;
        return Ok(AddedTab { name, is_new: false });
    }
    let mut taken = taken_names(&file);
    taken.extend(joined.channels.iter().map(|name| name.to_lowercase()));
    let name = free_name(&mut taken, &channel.name);
    KeyLocation { folder: &folder, channel: &name, base_url: &joined.base_url }.store(&key)?;
    let table = ChannelTable { name: &name, base_url: &joined.base_url, key_env: None, read_only: false };
    let text = file.text().map_err(|error| format!("{error:#}"))?;
    let text = edit::with_channel(&text, &table).map_err(|why| format!("{}: {why}", file.path.display()))?;
    edit::write(&file.path, &text)
        .map_err(|error| format!("could not write {}: {error}", file.path.display()))?;
    joined.channels.push(name.clone());
    membership::write(&folder, joined)?;
    Ok(AddedTab { name, is_new: true })
}

/// Locks the folder against other processes that add tabs; `None` while one does.
fn lock(folder: &Path) -> Result<Option<File>, String> {
    let path = folder.join(LOCK_FILE);
    let opened = File::options().create(true).append(true).open(&path);
    let file = opened.map_err(|error| format!("could not open {}: {error}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => {
            Err(format!("could not lock {}: {error}", path.display()))
        }
    }
}
