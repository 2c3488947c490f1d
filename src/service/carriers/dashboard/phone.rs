//! Connection and test of the voice and SMS channel, and ending of its calls.

use crate::admin::{Admin, AdminError};
use crate::carriers::dashboard::{NewConnection, check_address, json_text, refused_error};
use crate::database::calls::{self as stored, CallRow};
use crate::database::connected::ConnectedRow;
use crate::database::{channels, connected, conversations, messages, opt_outs};
use api::carriers::{PhoneSecrets, PhoneSettings};
use model::bounds;
use model::secret::Secret;
use model::time::Timestamp;
use platforms::Channel;
use platforms::voip::{PhoneIdentity, PhonePlatform, mark_from};

const MAX_LISTED_CALLS: i64 = 200;

/// Access to a phone number, from the platform's console.
#[derive(Debug, Clone)]
pub struct PhoneAccess {
    pub api: String,
    /// Account SID.
    pub account: String,
    /// In E.164 form.
    pub number: String,
    /// SID of the messaging service that sends the texts.
    pub messaging_service: Option<String>,
    pub token: Secret,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    pub id: String,
    pub to: String,
    pub status: String,
    pub placed_at: Timestamp,
}

fn is_sid(text: &str, prefix: &str) -> bool {
    let digits = text.strip_prefix(prefix).unwrap_or("");
    digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl PhoneAccess {
    fn check(&self) -> Result<(), AdminError> {
        check_address(&self.api)?;
        let refuse = |why: String| Err(AdminError::Refused(why));
        if !is_sid(&self.account, "AC") {
            let account = &self.account;
            return refuse(format!(
                "--account-sid {account:?} is not an account SID; it is AC and 32 hex digits, as shown in \
                 the platform's console"
            ));
        }
        if !bounds::is_e164(&self.number) {
            return refuse(format!("--number {:?} is not a phone number such as +15550100200", self.number));
        }
        if let Some(service) = self.messaging_service.as_ref().filter(|service| !is_sid(service, "MG")) {
            return refuse(format!(
                "--messaging-service {service:?} is not the SID of a messaging service; it is MG and 32 hex \
                 digits, as shown in the platform's console"
            ));
        }
        if self.token.expose().is_empty() {
            return refuse("no auth token was given; the platform's console shows it".to_owned());
        }
        Ok(())
    }
}

impl Admin {
    /// Connects the voice and SMS channel after the platform has returned the records of the account and the
    /// number.
    ///
    /// # Errors
    /// With the platform's explanation, or if the database fails.
    pub async fn connect_phone(
        &self,
        access: &PhoneAccess,
        now: Timestamp,
    ) -> Result<PhoneIdentity, AdminError> {
        access.check()?;
        let vault = self.vault().await?;
        let secrets = PhoneSecrets { token: access.token.expose().to_owned() };
        let settings = PhoneSettings {
            api: access.api.clone(),
            account: access.account.clone(),
            number: access.number.clone(),
            messaging_service: access.messaging_service.clone(),
            webhook: true,
        };
        let me =
            PhonePlatform::new(settings.clone(), &secrets, None).identify().await.map_err(refused_error)?;
        if !me.texts && access.messaging_service.is_none() {
            let number = &access.number;
            return Err(AdminError::Refused(format!(
                "{number} cannot send texts; choose a number of the account that can"
            )));
        }
        let number = access.number.clone();
        let connection = NewConnection {
            kind: Channel::Voip,
            address: access.number.clone(),
            settings: json_text(serde_json::to_string(&settings))?,
            secrets: json_text(serde_json::to_string(&secrets))?,
            // Reading of the same number continues where it ended.
            mark: Box::new(move |before| {
                let same =
                    before.filter(|connected_row| phone_number(connected_row).as_ref() == Some(&number));
                same.map_or_else(|| mark_from(now), |connected_row| connected_row.mark.clone())
            }),
            at: now,
        };
        self.store_connection(vault, connection, |_, _| Ok(())).await?;
        Ok(me)
    }

    /// Tests a connected number and returns the results, one per line.
    pub(super) async fn test_phone(
        &self,
        row: &ConnectedRow,
        secrets: &str,
    ) -> Result<Vec<String>, AdminError> {
        let phone = PhonePlatform::open(&row.settings, secrets, None).map_err(AdminError::Refused)?;
        let me = phone.identify().await.map_err(refused_error)?;
        let number = phone_number(row).unwrap_or_default();
        let mut lines = vec![format!("{number} ({}): the platform accepts the auth token", me.account)];
        if let Some(service) = &me.messaging_service {
            lines.push(format!("the messaging service {service} sends the texts"));
        }
        lines.push(match (me.texts || me.messaging_service.is_some(), me.calls) {
            (true, true) => "the number can send texts and place calls".to_owned(),
            (true, false) => "the number can send texts but cannot place calls; calls are refused".to_owned(),
            (false, _) => "the number cannot send texts; choose another number of the account".to_owned(),
        });
        if me.is_trial {
            lines.push("a trial account; it only reaches numbers verified in its console".to_owned());
        }
        lines.push(match me.hook {
            Some(hook) => format!("the platform sends incoming messages to {hook}"),
            None => "the platform has no address for this number's incoming messages yet; start the \
                     service with --public-url"
                .to_owned(),
        });
        let channel = row.channel.clone();
        let out: Result<i64, AdminError> =
            self.database.read(move |db| Ok(opt_outs::count(db, &channel)?)).await;
        match out? {
            0 => {}
            1 => lines.push("1 customer wrote STOP and gets no texts".to_owned()),
            count => lines.push(format!("{count} customers wrote STOP and get no texts")),
        }
        Ok(lines)
    }

    /// Lists calls that have not ended, at most [`MAX_LISTED_CALLS`].
    pub async fn open_calls(&self) -> Result<Vec<OpenCall>, AdminError> {
        let workspace = self.workspace.clone();
        self.database
            .read(move |db| {
                let mut rows = Vec::new();
                for channel in channels::list_by_workspace(db, &workspace.find(db)?.id)? {
                    let count = i64::try_from(rows.len()).unwrap_or(MAX_LISTED_CALLS);
                    rows.extend(stored::list_open(db, &channel.id, MAX_LISTED_CALLS - count)?);
                }
                let with_peer = |call_row: CallRow| {
                    let found = conversations::read(db, &call_row.channel, &call_row.conversation)?;
                    let to = found.map(|conversation_row| conversation_row.peer).unwrap_or_default();
                    Ok(OpenCall {
                        id: call_row.id,
                        to,
                        status: call_row.status,
                        placed_at: call_row.created_at,
                    })
                };
                rows.into_iter().map(with_peer).collect()
            })
            .await
    }

    pub async fn hang_up(&self, id: &str) -> Result<(), AdminError> {
        let (workspace, wanted) = (self.workspace.clone(), id.to_owned());
        let found = self.database.read(move |db| {
            let own = channels::list_by_workspace(db, &workspace.find(db)?.id)?;
            let Some(call) = stored::read(db, &wanted)?.filter(|call| call.ended_at.is_none()) else {
                return Ok(None);
            };
            if !own.iter().any(|channel| channel.id == call.channel) {
                return Ok(None);
            }
            let message = messages::find_by_id(db, &call.id)?;
            let connection = connected::read(db, &call.channel)?;
            Ok::<_, AdminError>(connection.zip(message.map(|message| message.platform_id)))
        });
        let none = || {
            AdminError::Absent(format!(
                "no call {id} is in progress; `admin call list` shows the calls in progress"
            ))
        };
        let Some((row, platform_id)) = found.await? else {
            // Fails if no number is connected.
            self.connected_row(&Channel::Voip.into()).await?;
            return Err(none());
        };
        if platform_id.is_empty() {
            let why = "it is not known yet whether this call was placed; try again in a minute";
            return Err(AdminError::Refused(why.to_owned()));
        }
        let secrets = self.open_secrets(&row).await?;
        let phone = PhonePlatform::open(&row.settings, &secrets, None).map_err(AdminError::Refused)?;
        phone.hang_up(&platform_id).await.map_err(refused_error)
    }
}

fn phone_number(row: &ConnectedRow) -> Option<String> {
    let settings: PhoneSettings = serde_json::from_str(&row.settings).ok()?;
    Some(settings.number)
}
