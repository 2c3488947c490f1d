//! Changes to a connected mailbox that need no new login: the folders that are read, and its other addresses.

use crate::admin::{Admin, AdminError, ChannelChoice};
use crate::audit::{self, CONSOLE};
use crate::carriers::dashboard::mailbox::{check_aliases, read_folders};
use crate::carriers::dashboard::{json_text, refused_error};
use crate::carriers::watch;
use crate::database::connected::{self as stored, ConnectedRow};
use api::carriers::{MailboxCursor, MailboxSettings};
use model::time::{SECOND, Timestamp};
use platforms::Channel;
use platforms::mailbox::{MailFolder, MailboxPlatform, choose_folders};

/// A connected mailbox, opened with its stored access.
struct OpenMailbox {
    row: ConnectedRow,
    settings: MailboxSettings,
    secrets: String,
    platform: MailboxPlatform,
}

impl Admin {
    /// Lists the folders of a connected mailbox.
    ///
    /// # Errors
    /// With the server's explanation, or if the database fails.
    pub async fn mailbox_folders(
        &self,
        channel: impl Into<ChannelChoice>,
    ) -> Result<Vec<MailFolder>, AdminError> {
        let mailbox = self.open_mailbox(&channel.into()).await?;
        let folders = mailbox.platform.list_folders().await.map_err(refused_error);
        self.keep_secrets(&mailbox).await?;
        folders
    }

    /// Changes which further folders of a connected mailbox are read; returns all folders. The mail that is in a
    /// new folder already is imported as far back as that of the mailbox.
    ///
    /// # Errors
    /// If a folder cannot be chosen or opened, or if the database fails.
    pub async fn choose_folders(
        &self,
        channel: impl Into<ChannelChoice>,
        (read, not): (&[String], &[String]),
        now: Timestamp,
    ) -> Result<Vec<MailFolder>, AdminError> {
        let mailbox = self.open_mailbox(&channel.into()).await?;
        let result = async {
            let folders = mailbox.platform.list_folders().await.map_err(refused_error)?;
            let chosen = choose_folders(&folders, read, not).map_err(AdminError::Refused)?;
            let is_new = |name: &&String| !mailbox.settings.folders.contains(name);
            let new: Vec<String> = chosen.iter().filter(is_new).cloned().collect();
            let marks = mailbox.platform.mark_folders(&new, now.micros() / SECOND);
            Ok::<_, AdminError>((folders, chosen, marks.await.map_err(refused_error)?))
        };
        let result = result.await;
        self.keep_secrets(&mailbox).await?;
        let (mut folders, chosen, marks) = result?;
        for folder in folders.iter_mut().filter(|folder| folder.special.is_none()) {
            folder.is_read = chosen.contains(&folder.name);
        }
        folders.retain(|folder| folder.is_read || !folder.is_missing);
        let settings = MailboxSettings { folders: chosen.clone(), ..mailbox.settings };
        let change_mark = move |mark: &mut MailboxCursor| read_folders(mark, &chosen, marks, true);
        self.store_mailbox(mailbox.row, &settings, "channel folders", change_mark, now).await?;
        Ok(folders)
    }

    /// Changes the other addresses of a connected mailbox, after the server was asked whether the login may send
    /// from them; returns all of them.
    ///
    /// # Errors
    /// If the server refuses an address, or if the database fails.
    pub async fn change_aliases(
        &self,
        channel: impl Into<ChannelChoice>,
        (add, remove): (&[String], &[String]),
        now: Timestamp,
    ) -> Result<Vec<String>, AdminError> {
        let mailbox = self.open_mailbox(&channel.into()).await?;
        let mut settings = mailbox.settings.clone();
        if add.is_empty() && remove.is_empty() {
            return Ok(settings.aliases);
        }
        for unwanted in remove {
            let count = settings.aliases.len();
            settings.aliases.retain(|alias| !alias.eq_ignore_ascii_case(unwanted));
            if settings.aliases.len() == count {
                return Err(AdminError::Refused(format!(
                    "{unwanted:?} is not one of the mailbox's other addresses"
                )));
            }
        }
        for alias in add {
            let is_known = settings.own_addresses().iter().any(|own| own.eq_ignore_ascii_case(alias));
            if !is_known {
                settings.aliases.push(alias.clone());
            }
        }
        check_aliases("--add", &settings.aliases)?;
        let secrets = serde_json::from_str(&mailbox.secrets).map_err(|_| {
            AdminError::Refused("its secrets cannot be read; connect the channel again".to_owned())
        })?;
        let changed = MailboxPlatform::new(settings.clone(), &secrets).map_err(AdminError::Refused)?;
        let tested = changed.test_sending().await.map_err(refused_error);
        let open = OpenMailbox { platform: changed, ..mailbox };
        self.keep_secrets(&open).await?;
        settings.sends_tagged = Some(tested?);
        let aliases = settings.aliases.clone();
        self.store_mailbox(open.row, &settings, "channel aliases", |_| (), now).await?;
        Ok(aliases)
    }

    async fn open_mailbox(&self, channel: &ChannelChoice) -> Result<OpenMailbox, AdminError> {
        let (kind, row, secrets) = self.connected_row(channel).await?;
        if kind != Channel::Email {
            let why = format!("the channel {} is not a mailbox", channel.word());
            return Err(AdminError::Refused(why));
        }
        let platform = MailboxPlatform::open(&row.settings, &secrets).map_err(AdminError::Refused)?;
        let settings = serde_json::from_str(&row.settings).map_err(|why| {
            AdminError::Refused(format!("its settings cannot be read ({why}); connect the channel again"))
        })?;
        Ok(OpenMailbox { row, settings, secrets, platform })
    }

    /// Stores secrets that the provider has changed meanwhile.
    async fn keep_secrets(&self, mailbox: &OpenMailbox) -> Result<(), AdminError> {
        let Some(now) = mailbox.platform.changed_secrets().await else { return Ok(()) };
        let now = json_text(serde_json::to_string(&now))?;
        if now == mailbox.secrets { Ok(()) } else { self.reseal(&mailbox.row, &now).await }
    }

    /// Stores changed settings and the changed mark, unless the channel was connected again meanwhile.
    async fn store_mailbox(
        &self,
        row: ConnectedRow,
        settings: &MailboxSettings,
        action: &'static str,
        change_mark: impl FnOnce(&mut MailboxCursor) + Send + 'static,
        now: Timestamp,
    ) -> Result<(), AdminError> {
        let settings = json_text(serde_json::to_string(settings))?;
        let store = self.database.write(move |db| {
            let current = stored::read(db, &row.channel)?.filter(|current| current.version == row.version);
            let Some(current) = current else {
                let why = "the channel was changed meanwhile; nothing was stored. Try again";
                return Err(AdminError::Refused(why.to_owned()));
            };
            let mut mark: MailboxCursor = serde_json::from_str(&current.mark).map_err(|why| {
                AdminError::Refused(format!(
                    "its reading position cannot be read ({why}); connect the channel again"
                ))
            })?;
            change_mark(&mut mark);
            let mark = json_text(serde_json::to_string(&mark))?;
            let version = watch::new_version();
            stored::put(db, &ConnectedRow { settings, mark, version, ..current })?;
            audit::record_in_channel(db, &row.channel, CONSOLE, (action, &row.channel), now)?;
            Ok(())
        });
        store.await
    }
}
