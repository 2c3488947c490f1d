//! Connection and test of the email channel.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::admin::{Admin, AdminError, ChannelChoice};
use crate::carriers::dashboard::{NewConnection, check_address, json_text, refused_error};
use crate::database::connected as stored;
use api::carriers::{EarlierMail, FolderMark, MailboxCursor, MailboxSecrets, MailboxSettings};
use model::bounds;
use model::secret::Secret;
use model::time::{DAY, HOUR, SECOND, Timestamp};
use platforms::Channel;
use platforms::mailbox::{MailboxPlatform, choose_folders};

/// Maximum count of a span of earlier mail, in its unit.
const MAX_SPAN_COUNT: i64 = 100_000;
/// Maximum number of other addresses; each is tested when the mailbox is connected.
const MAX_ALIASES: usize = 20;

/// Access to a mailbox, as its owner configured it.
#[derive(Clone)]
pub struct MailboxAccess {
    pub settings: MailboxSettings,
    /// Password for reading, or the OAuth refresh token.
    pub reading: Secret,
    /// Password for sending, or the OAuth client secret. Empty: the reading password, or no client secret.
    pub sending: Secret,
    /// Earlier mail to import. `None` means 30 days for a new mailbox and no change for a connected one.
    pub since: Option<MailSince>,
}

/// Mail from before the connection that is imported as threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSince {
    Now,
    /// Length of the imported time before the connection, in microseconds.
    Span(i64),
    Time(Timestamp),
}

impl MailSince {
    const DEFAULT: Self = Self::Span(30 * DAY);

    /// Returns the time from which mail is imported, as Unix time in seconds; `None` if nothing is.
    fn start_seconds(self, now: Timestamp) -> Option<i64> {
        let at = match self {
            Self::Now => return None,
            Self::Span(span) => now.plus(-span),
            Self::Time(at) => at,
        };
        (at < now).then(|| at.micros().max(0) / SECOND)
    }
}

impl FromStr for MailSince {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shape = || {
            format!(
                "{text:?} is not a start of mail; use now, a span such as 12h, 30d or 8w, or a day such as \
                 2026-10-01"
            )
        };
        if text == "now" {
            return Ok(Self::Now);
        }
        if let Some(at) = Timestamp::parse(&format!("{text}T00:00:00Z")) {
            return Ok(Self::Time(at));
        }
        let units = [('h', HOUR), ('d', DAY), ('w', 7 * DAY)];
        let (count, unit) = units
            .iter()
            .find_map(|(name, unit)| Some((text.strip_suffix(*name)?, unit)))
            .ok_or_else(shape)?;
        let count: i64 =
            count.parse().ok().filter(|count| (1..=MAX_SPAN_COUNT).contains(count)).ok_or_else(shape)?;
        Ok(Self::Span(count * unit))
    }
}

impl MailboxAccess {
    fn check(&self) -> Result<MailboxSecrets, AdminError> {
        let refuse = |why: String| Err(AdminError::Refused(why));
        let MailboxSettings { address, aliases, name, oauth, .. } = &self.settings;
        if !bounds::is_email(address) {
            return refuse(format!(
                "--address {address:?} is not a mail address; use the mailbox's own, such as \
                 desk@shop.example"
            ));
        }
        check_aliases("--alias", aliases)?;
        if name.iter().any(|text| {
            text.chars().any(char::is_control) || bounds::count_chars(text) > bounds::MAX_CONTACT_NAME_CHARS
        }) {
            return refuse("--name must be one line; it is the sender's name of outgoing mail".to_owned());
        }
        let reading = self.reading.expose().to_owned();
        if reading.is_empty() {
            return refuse(match oauth {
                Some(_) => {
                    "no refresh token was given; the provider issues it when the account's owner has agreed"
                        .to_owned()
                }
                None => "no password was given".to_owned(),
            });
        }
        if let Some(oauth) = oauth {
            check_address(&oauth.token_url)?;
        }
        let sending = match (self.sending.expose(), oauth) {
            ("", None) => reading.clone(),
            (sending, _) => sending.to_owned(),
        };
        Ok(MailboxSecrets { reading, sending })
    }
}

/// Checks the other addresses of a mailbox, given with a switch.
pub(super) fn check_aliases(switch: &str, aliases: &[String]) -> Result<(), AdminError> {
    if let Some(alias) = aliases.iter().find(|alias| !bounds::is_email(alias)) {
        return Err(AdminError::Refused(format!(
            "{switch} {alias:?} is not a mail address; use another address of this mailbox, such as \
             sales@shop.example"
        )));
    }
    if aliases.len() > MAX_ALIASES {
        return Err(AdminError::Refused(format!("a mailbox can have at most {MAX_ALIASES} other addresses")));
    }
    Ok(())
}

impl Admin {
    /// Returns the settings with which this mailbox is connected already.
    async fn known_mailbox(&self, settings: &MailboxSettings) -> Result<Option<MailboxSettings>, AdminError> {
        let choice = match &self.channel_name {
            Some(name) => ChannelChoice::Name(name.clone()),
            None => Channel::Email.into(),
        };
        let workspace = self.workspace.clone();
        let (address, server) = (settings.address.clone(), settings.imap.clone());
        let found = self.database.read(move |db| {
            let row = match workspace.channel(db, &choice) {
                Ok(channel) => stored::read(db, &channel.id)?,
                // Connecting the mailbox creates the channel.
                Err(_) => None,
            };
            let known = row.and_then(|row| serde_json::from_str::<MailboxSettings>(&row.settings).ok());
            let is_same = |known: &MailboxSettings| known.address == address && known.imap == server;
            Ok::<_, AdminError>(known.filter(is_same))
        });
        found.await
    }

    /// Connects the email channel after both servers have accepted the login. The process that reads the
    /// mailbox imports earlier mail.
    ///
    /// # Errors
    /// With the server's explanation, or if the database fails.
    pub async fn connect_mailbox(
        &self,
        access: &MailboxAccess,
        now: Timestamp,
    ) -> Result<String, AdminError> {
        let secrets = access.check()?;
        let vault = self.vault().await?;
        let mut settings = access.settings.clone();
        let wanted = std::mem::take(&mut settings.folders);
        settings.folders =
            self.known_mailbox(&settings).await?.map(|known| known.folders).unwrap_or_default();
        let mut mailbox = MailboxPlatform::new(settings.clone(), &secrets).map_err(AdminError::Refused)?;
        if !wanted.is_empty() {
            let folders = mailbox.list_folders().await.map_err(refused_error)?;
            settings.folders = choose_folders(&folders, &wanted, &[]).map_err(AdminError::Refused)?;
            let secrets = mailbox.changed_secrets().await.unwrap_or_else(|| secrets.clone());
            mailbox = MailboxPlatform::new(settings.clone(), &secrets).map_err(AdminError::Refused)?;
        }
        let fresh = mailbox
            .test_login(now.micros() / SECOND, now.micros().to_string())
            .await
            .map_err(refused_error)?;
        settings.sends_tagged = Some(mailbox.accepts_tagged_sender().await.map_err(refused_error)?);
        let secrets = mailbox.changed_secrets().await.unwrap_or(secrets);
        let (address, folders) = (settings.address.clone(), settings.folders.clone());
        let (account, server, since) = (address.clone(), settings.imap.clone(), access.since);
        let connection = NewConnection {
            kind: Channel::Email,
            address: address.clone(),
            settings: json_text(serde_json::to_string(&settings))?,
            secrets: json_text(serde_json::to_string(&secrets))?,
            // Reading of the same mailbox continues where it ended.
            mark: Box::new(move |before| {
                let same = before.filter(|row| {
                    let known: Result<MailboxSettings, _> = serde_json::from_str(&row.settings);
                    known.is_ok_and(|known| known.address == account && known.imap == server)
                });
                let kept: Option<MailboxCursor> = same.and_then(|row| serde_json::from_str(&row.mark).ok());
                let mark = match kept {
                    Some(kept) => {
                        let mut mark = with_earlier(kept, since, now);
                        read_folders(&mut mark, &folders, fresh.folders, since != Some(MailSince::Now));
                        mark
                    }
                    None => {
                        let (inbox, sent) = (fresh.inbox, fresh.sent);
                        let begins = since.unwrap_or(MailSince::DEFAULT).start_seconds(now);
                        let earlier = begins.map(|begins| EarlierMail {
                            folders: fresh.folders.clone(),
                            ..EarlierMail::plan(begins, inbox, sent)
                        });
                        MailboxCursor { earlier, ..fresh }
                    }
                };
                serde_json::to_string(&mark).unwrap_or_default()
            }),
            at: now,
        };
        self.store_connection(vault, connection, |_, _| Ok(())).await?;
        Ok(address)
    }
}

/// UIDVALIDITY and UID that no mail has.
const NO_MAIL_NUMBER: (u32, u32) = (u32::MAX, 0);

/// Returns the mark with the plan of an import. The import restarts if older mail is wanted than before; mail
/// that is there is not imported twice.
fn with_earlier(mut mark: MailboxCursor, since: Option<MailSince>, now: Timestamp) -> MailboxCursor {
    let Some(since) = since else { return mark };
    let Some(begins) = since.start_seconds(now).filter(|begins| *begins < mark.since) else {
        // Imported mail stays, and its flags are still followed.
        match &mut mark.earlier {
            Some(earlier) if earlier.filed > 0 => earlier.is_finished = true,
            earlier => *earlier = None,
        }
        return mark;
    };
    match &mark.earlier {
        Some(earlier) if begins >= earlier.since && !earlier.is_finished => {}
        Some(earlier) => {
            let planned = EarlierMail::plan(begins, earlier.inbox, earlier.sent);
            mark.earlier = Some(EarlierMail { folders: mark.folders.clone(), ..planned });
        }
        // No UID bounds this import: mail since the connection is known already.
        None => {
            let planned = EarlierMail::plan(begins, NO_MAIL_NUMBER, NO_MAIL_NUMBER);
            mark.earlier = Some(EarlierMail { folders: mark.folders.clone(), ..planned });
        }
    }
    mark
}

/// Sets the further folders that are read from now on. `fresh` holds the positions of those that were not read
/// before; with `imports`, their earlier mail is imported as far back as that of the mailbox.
pub(super) fn read_folders(
    mark: &mut MailboxCursor,
    chosen: &[String],
    fresh: BTreeMap<String, FolderMark>,
    imports: bool,
) {
    mark.folders.retain(|name, _| chosen.contains(name));
    let new: BTreeMap<String, FolderMark> = fresh
        .into_iter()
        .filter(|(name, _)| chosen.contains(name) && !mark.folders.contains_key(name))
        .collect();
    if let Some(earlier) = mark.earlier.as_mut().filter(|_| imports && !new.is_empty()) {
        let mut folders = if earlier.is_finished { BTreeMap::new() } else { earlier.folders.clone() };
        folders.extend(new.clone());
        *earlier = EarlierMail {
            folders,
            is_main_filed: earlier.is_finished || earlier.is_main_filed,
            filed: earlier.filed,
            ..EarlierMail::plan(earlier.since, earlier.inbox, earlier.sent)
        };
    }
    mark.folders.extend(new);
}

/// Tests a connected mailbox. Returns the results, one per line, and the secrets if the provider has changed
/// them.
pub(super) async fn test(
    settings: &str,
    secrets: &str,
) -> Result<(Result<Vec<String>, AdminError>, Option<String>), AdminError> {
    let mailbox = MailboxPlatform::open(settings, secrets).map_err(AdminError::Refused)?;
    let tested = mailbox.test_login(0, String::new()).await;
    let now = match mailbox.changed_secrets().await {
        Some(now) => Some(json_text(serde_json::to_string(&now))?).filter(|entry| entry != secrets),
        None => None,
    };
    Ok((tested.map(|_| mailbox.describe_status()).map_err(refused_error), now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_now_a_span_or_a_day() {
        let day = Timestamp::parse("2026-10-01T00:00:00Z").expect("a time");
        let cases = [
            ("now", MailSince::Now),
            ("12h", MailSince::Span(12 * HOUR)),
            ("30d", MailSince::Span(30 * DAY)),
            ("8w", MailSince::Span(56 * DAY)),
            ("2026-10-01", MailSince::Time(day)),
        ];
        for (text, since) in cases {
            assert_eq!(text.parse(), Ok(since), "{text}");
        }
        for text in ["", "30", "d", "-3d", "0d", "1.5d", "30 days", "2026-13-01", "999999999999d"] {
            assert!(text.parse::<MailSince>().is_err(), "{text}");
        }
    }

    #[test]
    fn connecting_again_files_only_what_was_not_wanted_before() {
        let now = Timestamp::from_micros(1_000 * DAY);
        let seconds = |days: i64| days * DAY / SECOND;
        let (inbox, sent) = ((7, 20), (8, 3));
        let fresh = MailboxCursor {
            since: seconds(1_000),
            inbox: (7, 90),
            sent: (8, 40),
            ..MailboxCursor::default()
        };
        let planned = EarlierMail { filed: 5, ..EarlierMail::plan(seconds(970), inbox, sent) };
        let going_on = MailboxCursor { earlier: Some(planned), ..fresh.clone() };
        let days = |count: i64| Some(MailSince::Span(count * DAY));
        // Connecting again with another password changes nothing.
        assert_eq!(with_earlier(going_on.clone(), None, now), going_on);
        assert_eq!(with_earlier(going_on.clone(), days(20), now), going_on);
        let more = with_earlier(going_on.clone(), days(90), now).earlier;
        assert_eq!(more, Some(EarlierMail::plan(seconds(910), inbox, sent)));
        let first = with_earlier(fresh.clone(), days(90), now).earlier.expect("planned");
        assert_eq!(
            (first.inbox, first.sent),
            (NO_MAIL_NUMBER, NO_MAIL_NUMBER),
            "what has come since is known"
        );
        let stopped = with_earlier(going_on, Some(MailSince::Now), now);
        assert!(!stopped.is_importing() && stopped.counts_from() == seconds(970));
        assert_eq!(with_earlier(fresh.clone(), Some(MailSince::Now), now), fresh);
    }

    #[test]
    fn mail_of_a_chosen_folder_is_imported_without_the_rest() {
        let at = |next| FolderMark { place: (9, next), chosen: 500, since: 0 };
        let fresh = |name: &str| BTreeMap::from([(name.to_owned(), at(4))]);
        let chosen = ["One".to_owned(), "Two".to_owned()];
        let planned = EarlierMail { filed: 5, is_finished: true, ..EarlierMail::plan(100, (7, 20), (8, 3)) };
        let mut mark =
            MailboxCursor { since: 400, earlier: Some(planned.clone()), ..MailboxCursor::default() };
        read_folders(&mut mark, &chosen[..1], fresh("One"), true);
        let import = mark.earlier.clone().expect("planned");
        assert!(import.is_main_filed && !import.is_finished && import.filed == 5);
        assert_eq!((import.folders, mark.folders.clone()), (fresh("One"), fresh("One")));
        // A second choice while the first is imported adds to it; a known position stays.
        mark.folders.insert("One".to_owned(), at(90));
        read_folders(&mut mark, &chosen, [fresh("One"), fresh("Two")].into_iter().flatten().collect(), true);
        let names: Vec<String> = mark.earlier.expect("planned").folders.into_keys().collect();
        assert_eq!((names, mark.folders["One"]), (chosen.to_vec(), at(90)));
        let mut unplanned = MailboxCursor::default();
        read_folders(&mut unplanned, &chosen, fresh("One"), true);
        assert_eq!((unplanned.earlier, unplanned.folders.len()), (None, 1));
        let mut without = MailboxCursor { earlier: Some(planned.clone()), ..MailboxCursor::default() };
        read_folders(&mut without, &chosen, fresh("One"), false);
        assert_eq!(without.earlier, Some(planned));
        read_folders(&mut without, &[], BTreeMap::new(), true);
        assert!(without.folders.is_empty());
    }
}
