//! `frontdesk`: the inbox of the configured channels.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use crate::cli::folders::DeskFolders;
use crate::cli::team;
use crate::cli::{CliError, RunMode, first_run, folders, logs, receiving};
use crate::config::keys::connections::key_provider;
use crate::config::screen::ScreenConfig;
use crate::config::{ChannelConfig, Config, membership};
use crate::shell::clipboard::Clipboard;
use crate::shell::clock::{self, SystemClock};
use crate::shell::connections::ConnectionsSetup;
use crate::shell::desk_parts::DeskParts;
use crate::shell::notify::Notifier;
use crate::shell::suggesting::{Suggester, SuggesterSetup};
use crate::shell::terminal::ScreenOptions;
use inbox::color_depth::ColorDepth;
use inbox::settings::Settings;
use inbox::theme_table_view::ThemeName;
use inbox::theme_view::Theme;
use model::messages::SenderAliases;
use model::pictures::Graphics;
use model::text::SafeText;
use model::time::{HOUR, MINUTE, SECOND};
use net::assist::Endpoint;
use net::connections::{Credentials, file};
use sync::{ChannelSpec, Polling};

/// File of the connections, beside the configuration.
pub(super) const CONNECTIONS_FILE: &str = "connections.toml";

/// Reads the configuration of a command that needs a channel.
///
/// # Errors
/// Usage error if no channel is configured.
pub fn read_channels(path: &Path) -> Result<Config, CliError> {
    let config = Config::read(path).map_err(anyhow::Error::from)?;
    if config.channels.is_empty() {
        return Err(CliError::Usage(format!(
            "no channel is configured in {}; add one with `frontdesk channel add`",
            path.display()
        )));
    }
    Ok(config)
}

pub fn run(how: RunMode) -> Result<(), CliError> {
    let path = folders::config()?.join("config.toml");
    team::add_at_start(path.parent().unwrap_or(Path::new("")));
    let config = Config::read(&path).map_err(anyhow::Error::from)?;
    let links = load_connections(&path)?;
    if config.channels.is_empty() && how.can_ask() {
        return Ok(first_run::run(&path, &config, how)?);
    }
    if config.channels.is_empty() {
        return Err(CliError::Usage(format!(
            "no channel is configured in {}. To try a sample workspace, run `frontdesk demo`; to add a channel, \
             run `frontdesk channel add`",
            path.display()
        )));
    }
    let files = DeskFolders::find()?;
    logs::start(&files.logs)?;
    let joined = team::joined(path.parent().unwrap_or(Path::new("")), &config, how.read_only);
    let agent = person(&config, path.parent().unwrap_or(Path::new("")));
    let runtime = runtime()?;
    let clock = SystemClock;
    let desk = DeskParts {
        files: files.files(agent.clone()),
        channels: apply_read_only(specs(&config)?, how.read_only),
        settings: Settings {
            pause_on_reply: config.pause_on_reply,
            hold: config.undo_chat_seconds * SECOND,
            mail_hold: config.undo_email_seconds * SECOND,
            broadcast_hold: config.undo_broadcast_seconds * SECOND,
            wall: how.wall,
            zone: clock::zone(),
            notice: config.noticing,
            record_command: config.record_command.clone(),
            graphics: graphics(config.graphics),
            pictures_of: config
                .channels
                .iter()
                .filter(|channel| channel.pictures)
                .map(|channel| channel.id())
                .collect(),
            mail_styles: config.channels.iter().map(|channel| (channel.id(), channel.mail.clone())).collect(),
            demo: false,
            footer: config.screen.footer,
            pause_lease: config.pause_lease_hours * HOUR,
            brief_on_pause: config.brief_on_pause,
            link_preview: config.link_preview,
            review_one_in: config.review_one_in,
            transcribes: config.assist.as_ref().is_some_and(|assist| assist.transcribe_model.is_some()),
            model_caps: config.assist.as_ref().map(|assist| (assist.caps, SafeText::line(&assist.currency))),
            targets: config.targets(),
            absence_after: config.screen.away_minutes * MINUTE,
            keymap: config.keymap.clone(),
            senders: SenderAliases::new(config.senders.clone()),
            macros: config.macros.clone(),
            is_in_team: matches!(joined, Ok(Some(_))),
            connections: links.connections.clone(),
            ..Settings::default()
        },
        connections: Some(ConnectionsSetup { log: files.data.join("connection-calls.log"), ..links }),
        suggester: suggester(&config, Arc::new(clock), runtime.handle())?,
        config: Some(path.clone()),
        replies: config.replies.clone().unwrap_or_else(|| path.with_file_name("replies")),
        agent: config.agent.clone(),
        team: joined,
        receiver: receiving::receiver_setup(&config, path.parent().map(PathBuf::from).unwrap_or_default()),
        polling: polling(&config),
        theme: theme(config.theme, config.ascii),
        screen: screen(config.screen),
        notifier: resolve_notifier(config.notifier.clone()),
        clipboard: clipboard(config.copy_command.clone()),
        views: config.views.clone(),
        clock: Arc::new(clock),
        runtime: runtime.handle().clone(),
    };
    let ended = how.run(desk);
    runtime.shutdown_background();
    Ok(ended.map_err(anyhow::Error::from)?)
}

pub(super) fn load_connections(config: &Path) -> Result<ConnectionsSetup> {
    let file = config.with_file_name(CONNECTIONS_FILE);
    let (connections, wrong) = file::read(&file);
    if let [one] = wrong.as_slice() {
        bail!("{one}");
    }
    if !wrong.is_empty() {
        bail!("{} has {} errors:\n  {}", file.display(), wrong.len(), wrong.join("\n  "));
    }
    let folder = config.parent().unwrap_or(Path::new("")).to_owned();
    let sealed = config.with_file_name("connections.sealed");
    let credentials = Credentials::new(sealed, key_provider(folder));
    Ok(ConnectionsSetup { connections, log: file, credentials, zone: clock::zone() })
}

/// Language model for suggestions, if configured.
fn suggester(
    config: &Config,
    clock: Arc<SystemClock>,
    runtime: &tokio::runtime::Handle,
) -> Result<Option<Suggester>> {
    let Some(assist) = &config.assist else { return Ok(None) };
    let key = assist.fetch_key().map_err(|why| anyhow!("could not get the key of [assist]: {why}"))?;
    let setup = SuggesterSetup {
        endpoint: Endpoint { url: assist.url.clone(), model: assist.model.clone(), key },
        language: assist.language.clone(),
        transcribe_model: assist.transcribe_model.clone(),
        caps: assist.caps,
        prices: assist.prices,
        zone: clock::zone(),
    };
    Ok(Some(Suggester::new(setup, clock, runtime.clone()).context("[assist]")?))
}

/// Graphics protocol: configured, or detected from the terminal's name.
pub fn graphics(wanted: Option<Graphics>) -> Graphics {
    wanted.unwrap_or_else(|| Graphics::detect(|text| std::env::var(text).ok()))
}

/// Name of the person at this desk: the team's, else the configured one, else the login name.
pub fn person(config: &Config, folder: &Path) -> String {
    // A membership that cannot be read is reported where the team is joined.
    let of_team = membership::read(folder).ok().flatten().map(|joined| joined.person);
    let configured = || config.agent.clone().filter(|agent| !agent.trim().is_empty());
    of_team.or_else(configured).unwrap_or_else(login)
}

fn login() -> String {
    let named = |text: &str| std::env::var(text).ok().filter(|var| !var.trim().is_empty());
    ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(named).unwrap_or_else(|| "me".to_owned())
}

pub fn apply_read_only(mut channels: Vec<ChannelSpec>, read_only: bool) -> Vec<ChannelSpec> {
    channels.iter_mut().for_each(|channel| channel.read_only |= read_only);
    channels
}

pub fn polling(config: &Config) -> Polling {
    Polling { visible: seconds(config.visible_seconds), background: seconds(config.background_seconds) }
}

fn seconds(count: i64) -> Duration {
    Duration::from_secs(count.unsigned_abs())
}

/// Channels with their keys.
///
/// # Errors
/// When a key is missing or readable by others.
pub fn specs(config: &Config) -> Result<Vec<ChannelSpec>> {
    config.channels.iter().map(spec).collect()
}

/// A channel with its key.
///
/// # Errors
/// As [`specs`].
pub fn spec(channel: &ChannelConfig) -> Result<ChannelSpec> {
    Ok(ChannelSpec {
        id: channel.id(),
        name: channel.name.clone(),
        base_url: channel.base_url.clone(),
        key: channel.fetch_key()?,
        read_only: channel.read_only,
        draft_only: channel.draft_only,
    })
}

/// Runtime of the sync loops: one thread is enough for a few tabs.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    build_runtime_with(1)
}

/// Runtime of the service, with or without an inbox.
pub fn service_runtime() -> Result<tokio::runtime::Runtime> {
    build_runtime_with(2)
}

fn build_runtime_with(threads: usize) -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(threads).thread_name("hands").enable_all();
    builder.build().context("could not start the network threads")
}

/// Theme from the environment and the configuration.
pub fn theme(name: ThemeName, ascii: Option<bool>) -> Theme {
    let variable = |text: &str| std::env::var(text).ok();
    let ascii = ascii.unwrap_or_else(|| lacks_utf8(&locale(variable)));
    let name = if is_colour_disabled(variable) { ThemeName::Mono } else { name };
    let name = name.resolve(variable("COLORFGBG").as_deref());
    Theme::new(name, ascii).in_depth(ColorDepth::of(variable))
}

/// Locale of the terminal's characters; empty if none is set.
pub fn locale(variable: impl Fn(&str) -> Option<String>) -> String {
    let is_set = |name| variable(name).filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(is_set).unwrap_or_default()
}

/// True if a locale or a character set is UTF-8.
pub fn is_utf8(locale: &str) -> bool {
    locale.to_ascii_lowercase().replace('-', "").contains("utf8")
}

/// True if a locale says that its characters are not UTF-8. A name without a character set, such as `de_DE`,
/// does not say it.
fn lacks_utf8(locale: &str) -> bool {
    let is_plain = matches!(locale, "C" | "POSIX");
    locale.split_once('.').map_or(is_plain, |(_, charset)| !is_utf8(charset)) && !cfg!(windows)
}

/// True if `NO_COLOR` disables colours.
pub fn is_colour_disabled(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("NO_COLOR").is_some_and(|value| !value.is_empty())
}

pub fn screen(config: ScreenConfig) -> ScreenOptions {
    let links = config.links.resolve(|link| std::env::var(link).ok());
    ScreenOptions { mouse: config.mouse, title: config.title, links }
}

/// Destination of copies for this terminal.
pub fn clipboard(command: Vec<String>) -> Clipboard {
    Clipboard::resolve(command, |text| std::env::var(text).ok())
}

pub fn resolve_notifier(notifier: Notifier) -> Notifier {
    let way = notifier.way.resolve(|way| std::env::var(way).ok());
    Notifier { way, ..notifier }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(windows))]
    #[test]
    fn locale_without_utf8_is_known_by_its_character_set() {
        let cases = [("", false), ("C", true), ("POSIX", true), ("C.UTF-8", false), ("de_DE.utf8", false)];
        for (locale, lacks) in cases {
            assert_eq!(lacks_utf8(locale), lacks, "{locale}");
        }
        for (locale, lacks) in [("UTF-8", false), ("de_DE", false), ("de_DE.ISO-8859-1", true)] {
            assert_eq!(lacks_utf8(locale), lacks, "{locale}");
        }
        let variables = [("LC_ALL", ""), ("LANG", "C")];
        let found = |name: &str| variables.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned());
        assert_eq!(locale(found), "C", "an empty variable is not set");
    }

    #[test]
    fn colours_are_switched_off_by_the_environment() {
        for (no_color, off) in [(None, false), (Some("1"), true), (Some(""), false)] {
            let variable = |name: &str| no_color.filter(|_| name == "NO_COLOR").map(str::to_owned);
            assert_eq!(is_colour_disabled(variable), off, "{no_color:?}");
        }
    }
}
