//! `admin channel connect email`: the arguments and secrets of a mailbox, and the consent of its owner at a provider
//! that takes no password.

use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::cli::admin::channels::{NOTHING_CONNECTED, secret};
use crate::cli::print;
use crate::shell::clock::SystemClock;
use crate::shell::prompt;
use api::carriers::{MailboxSettings, OauthSettings};
use model::secret::Secret;
use model::text::SafeText;
use model::time::Clock;
use platforms::mailbox::consent::{
    self, BrowserConsent, ConsentError, MailProvider, ProviderAddresses, RegisteredClient,
};
use platforms::mailbox::{MailFolder, SpecialUse};
use service::admin::{Admin, ChannelChoice};
use service::carriers::dashboard::{MailSince, MailboxAccess};

/// Time for the owner to agree in a browser.
const CONSENT_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// A mailbox, as the command line names it.
#[derive(Debug, Args)]
pub struct MailboxArguments {
    /// Mail address of the mailbox.
    #[arg(long, value_name = "ADDRESS")]
    address: String,
    /// Another address whose mail reaches the mailbox; may be given several times. Answers to such mail
    /// are sent from it; the command asks the server whether the login may.
    #[arg(long = "alias", value_name = "ADDRESS")]
    aliases: Vec<String>,
    /// Sender name of its mail; without it, the name of the workspace.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// IMAP server: imaps://USER@HOST:PORT, or imap:// for STARTTLS. Not needed with --provider.
    #[arg(long, value_name = "URL", required_unless_present = "provider")]
    imap: Option<String>,
    /// SMTP server: smtps://USER@HOST:PORT, or smtp:// for STARTTLS. Not needed with --provider.
    #[arg(long, value_name = "URL", required_unless_present = "provider")]
    smtp: Option<String>,
    /// Existing mail to import as threads, without events and answers: a span such as 12h, 30d
    /// or 8w, a day such as 2026-10-01, or now for none. Without it, 30d, unless the mailbox
    /// was connected before.
    #[arg(long, value_name = "SPAN|DAY|now")]
    since: Option<MailSince>,
    /// Folder that is read besides the inbox and the sent mail; may be given several times. Without it, those
    /// that were chosen before stay.
    #[arg(long = "read", value_name = "FOLDER")]
    folders: Vec<String>,
    /// Let the assistant answer mail until a person does.
    #[arg(long)]
    auto_reply: bool,
    /// Provider at which the owner of the mailbox gives consent in a browser, instead of a password. Asks
    /// for the client secret (empty if there is none).
    #[arg(long, value_enum, requires = "client_id", conflicts_with = "token_url")]
    provider: Option<ProviderArgument>,
    /// Address of the provider's login, for one tenant: https://login.microsoftonline.com/TENANT.
    #[arg(long, value_name = "URL", requires = "provider")]
    authority: Option<String>,
    /// Address of the provider's token endpoint, if it requires OAuth2; then a refresh token
    /// and the client secret are asked for.
    #[arg(long, value_name = "URL", requires = "client_id")]
    token_url: Option<String>,
    /// Client id of this service at the provider.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// Name of a further mailbox in the same workspace; without it, the first one.
    #[arg(long = "channel", value_name = "NAME")]
    pub channel_name: Option<String>,
}

/// Switches of `admin channel folders`.
#[derive(Debug, Args)]
pub struct FolderArguments {
    /// Mailbox: email, or the name of a further one.
    channel: ChannelChoice,
    /// Read this folder from now on; may be given several times. Mail that is in it already becomes history.
    #[arg(long, value_name = "FOLDER")]
    read: Vec<String>,
    /// No longer read this folder; may be given several times. Its threads stay.
    #[arg(long, value_name = "FOLDER")]
    not: Vec<String>,
}

/// Switches of `admin channel aliases`.
#[derive(Debug, Args)]
pub struct AliasArguments {
    /// Mailbox: email, or the name of a further one.
    channel: ChannelChoice,
    /// Another address whose mail reaches the mailbox, after the server was asked whether the login may send
    /// from it; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    add: Vec<String>,
    /// Address that is no longer one of the mailbox; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    remove: Vec<String>,
}

/// Lists the folders of a mailbox, after changing which are read.
pub async fn list_folders(admin: &Admin, arguments: FolderArguments, json: bool) -> Result<()> {
    let FolderArguments { channel, read, not } = arguments;
    let folders = if read.is_empty() && not.is_empty() {
        admin.mailbox_folders(channel).await.context("could not list the folders")?
    } else {
        let choosing = admin.choose_folders(channel, (&read, &not), SystemClock.now());
        choosing.await.context("could not change which folders are read")?
    };
    if json {
        let to_json = |folder: &MailFolder| {
            json!({
                "name": folder.shown, "serverName": folder.name, "use": folder.special.map(SpecialUse::word),
                "read": folder.is_read, "missing": folder.is_missing,
            })
        };
        return print::json(&Value::Array(folders.iter().map(to_json).collect()));
    }
    folders.iter().try_for_each(|folder| {
        let mut line = folder.shown.clone();
        if let Some(special) = folder.special {
            line.push_str(&format!("\t{}", special.word()));
        }
        line.push_str(if folder.is_read { "\tread" } else { "\tnot read" });
        if folder.is_missing {
            line.push_str("\tPROBLEM: it is no longer in the mailbox");
        }
        print::line(SafeText::line(&line.replace('\t', " · ")).as_str())
    })
}

/// Lists the other addresses of a mailbox, after changing them.
pub async fn list_aliases(admin: &Admin, arguments: AliasArguments, json: bool) -> Result<()> {
    let AliasArguments { channel, add, remove } = arguments;
    let changing = admin.change_aliases(channel, (&add, &remove), SystemClock.now());
    let aliases = changing.await.context("could not change the addresses")?;
    if json {
        return print::json(&json!(aliases));
    }
    aliases.iter().try_for_each(|alias| print::line(SafeText::line(alias).as_str()))
}

/// The providers, as the command line names them.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ProviderArgument {
    /// Gmail and Google Workspace: the owner gives consent in a browser.
    Google,
    /// Microsoft 365: the owner types a code on a page.
    Microsoft,
}

impl MailboxArguments {
    /// Reads the secrets, or gets them from the provider once the owner has agreed.
    pub async fn read_access(self) -> Result<MailboxAccess> {
        let provider = self.provider.map(|provider| match provider {
            ProviderArgument::Google => MailProvider::Google,
            ProviderArgument::Microsoft => MailProvider::Microsoft,
        });
        let client_id = self.client_id.unwrap_or_default();
        let (oauth, reading, sending) = match (provider, self.token_url) {
            (Some(provider), _) => {
                let addresses = provider.addresses(self.authority.as_deref());
                let client = RegisteredClient { id: client_id.clone(), secret: optional_client_secret()? };
                let asked = ask_owner(provider, &addresses, &client, &self.address).await;
                let refresh = asked.context(NOTHING_CONNECTED)?;
                (Some(OauthSettings { token_url: addresses.token, client_id }), refresh, client.secret)
            }
            (None, Some(token_url)) => {
                let refresh = secret("refresh token")?;
                (Some(OauthSettings { token_url, client_id }), refresh, optional_client_secret()?)
            }
            (None, None) => {
                let reading = secret("password")?;
                (None, reading, optional_secret("password for sending (empty if it is the same)")?)
            }
        };
        let (imap, smtp) = provider.map(|provider| provider.servers(&self.address)).unwrap_or_default();
        let settings = MailboxSettings {
            address: self.address,
            aliases: self.aliases,
            sends_tagged: None,
            name: self.name,
            imap: self.imap.unwrap_or(imap),
            smtp: self.smtp.unwrap_or(smtp),
            oauth,
            auto_reply: self.auto_reply,
            folders: self.folders,
        };
        Ok(MailboxAccess { settings, reading, sending, since: self.since })
    }
}

fn optional_client_secret() -> Result<Secret> {
    optional_secret("client secret (empty if there is none)")
}

fn optional_secret(words: &str) -> Result<Secret> {
    Ok(Secret::new(&prompt::optional_secret(words).context(NOTHING_CONNECTED)?))
}

/// Lets the owner agree; returns the refresh token.
async fn ask_owner(
    provider: MailProvider,
    addresses: &ProviderAddresses,
    client: &RegisteredClient,
    mailbox: &str,
) -> Result<Secret> {
    match provider {
        MailProvider::Microsoft => {
            let typed = consent::request_code(provider, addresses, client).await?;
            prompt::print_wrapped(&format!(
                "Open this page in any browser, sign in as {mailbox}, and type the code {}:",
                typed.code
            ))?;
            prompt::print_text(&format!("{}\n", typed.page))?;
            Ok(consent::wait_for_consent(addresses, client, &typed).await?)
        }
        MailProvider::Google => {
            let browser = BrowserConsent::start(provider, addresses, client, mailbox).await?;
            prompt::print_wrapped(&format!("Open this page in a browser, sign in as {mailbox}, and agree:"))?;
            prompt::print_text(&format!("{}\n", browser.page))?;
            prompt::print_wrapped(&format!(
                "If the browser is on another machine, it then shows an error at an address that begins with {}. \
                 Copy that address from the browser, and paste it here:",
                browser.redirect()
            ))?;
            let code = tokio::time::timeout(CONSENT_TIMEOUT, wait_for_code(&browser)).await;
            let code = code.map_err(|_| anyhow!(ConsentError::Expired))??;
            Ok(browser.exchange(addresses, client, &code).await?)
        }
    }
}

/// Waits for the browser of this machine, or for an address that the owner pastes.
async fn wait_for_code(browser: &BrowserConsent) -> Result<Secret> {
    let (sender, mut lines) = mpsc::unbounded_channel();
    // Ends with the process: a read of the terminal cannot be ended.
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut can_paste = true;
    // Kept over pasted lines: the browser's request may be half read.
    let mut from_browser = pin!(browser.wait_for_browser());
    loop {
        tokio::select! {
            code = &mut from_browser => return Ok(code?),
            line = lines.recv(), if can_paste => match line.map(|line| browser.code_in(&line)) {
                Some(Err(why @ ConsentError::ForeignAddress)) => prompt::print_wrapped(&format!("{why}; paste it whole:"))?,
                Some(code) => return Ok(code?),
                None => can_paste = false,
            },
        }
    }
}
