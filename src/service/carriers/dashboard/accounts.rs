//! Accounts of platforms. Each is connected to at most one channel of a service, because two channels would
//! file its messages twice.

use serde_json::Value;

use crate::admin::AdminError;
use crate::database::channels::{self, ChannelRow};
use crate::database::connected as stored;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, workspaces};
use platforms::Channel;

/// Refuses an account that another channel is connected to.
pub(super) fn check_free(db: &dyn DbSession, channel: &ChannelRow, settings: &str) -> Result<(), AdminError> {
    let wanted = accounts(channel.kind, settings);
    for row in stored::list(db)?.into_iter().filter(|row| row.channel != channel.id) {
        let other = channels::read(db, &row.channel)?;
        let is_taken = accounts(other.kind, &row.settings).iter().any(|account| wanted.contains(account));
        if other.kind == channel.kind && is_taken {
            let workspace = workspaces::read(db, &other.workspace)?;
            let name = workspace.name.unwrap_or(workspace.id);
            let (word, address) = (other.word().to_owned(), other.address.unwrap_or_default());
            let named = if other.name.is_some() { format!("{word:?}") } else { word.clone() };
            let address = shared_service(&row.settings, settings).unwrap_or(address);
            return Err(AdminError::Refused(format!(
                "{address} is already connected to the {word} channel of the workspace {name}; disconnect it there first: \
                 `admin --workspace {name:?} channel disconnect {named}`"
            )));
        }
    }
    Ok(())
}

/// Returns the messaging service that two phone numbers have in common.
fn shared_service(one: &str, other: &str) -> Option<String> {
    let service = |settings: &str| {
        let settings: Value = serde_json::from_str(settings).unwrap_or_default();
        settings["messaging_service"].as_str().map(str::to_owned)
    };
    let found = service(one)?;
    (service(other)? == found).then(|| format!("the messaging service {found}"))
}

/// Returns the other connected channels with a number of the same business account, whose calls are
/// switched on and off together, and which have the same templates.
pub(super) fn sharing_channels(
    db: &dyn DbSession,
    channel: &str,
    kind: Channel,
    settings: &str,
) -> Result<Vec<String>, DatabaseError> {
    let account = |settings: &str| {
        let settings: Value = serde_json::from_str(settings).unwrap_or_default();
        settings["account"].as_str().map(str::to_owned)
    };
    let mut sharing = Vec::new();
    if kind != Channel::Whatsapp {
        return Ok(sharing);
    }
    let others = stored::list(db)?.into_iter().filter(|row| row.channel != channel);
    for row in others.filter(|row| account(&row.settings) == account(settings)) {
        if channels::read(db, &row.channel)?.kind == kind {
            sharing.push(row.channel);
        }
    }
    Ok(sharing)
}

/// Returns the names by which the platform knows an account. A mailbox has two: its address and the server
/// that it is read from. A phone number may have its messaging service, whose texts are stored in one channel.
fn accounts(kind: Channel, settings: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let fields: &[&str] = match kind {
        Channel::Whatsapp => &["number"],
        Channel::Voip => &["number", "messaging_service"],
        Channel::Telegram => &["bot"],
        Channel::Email => &["address", "imap"],
    };
    let told = fields.iter().filter(|field| !settings[**field].is_null());
    told.map(|field| settings[*field].to_string().to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_known_by_what_the_platform_calls_it() {
        let number = r#"{"api":"https://a.example","number":"555","account":"1"}"#;
        assert_eq!(accounts(Channel::Whatsapp, number), ["\"555\""]);
        assert_eq!(accounts(Channel::Telegram, r#"{"bot":7,"name":"@desk_bot"}"#), ["7"]);
        let of_service = r#"{"number":"+1555","messaging_service":"MG1"}"#;
        assert_eq!(accounts(Channel::Voip, of_service), ["\"+1555\"", "\"mg1\""]);
        let other = r#"{"number":"+1556","messaging_service":"MG1"}"#;
        assert_eq!(shared_service(of_service, other).as_deref(), Some("the messaging service MG1"));
        assert_eq!(shared_service(of_service, r#"{"number":"+1556"}"#), None);
        let mailbox = r#"{"address":"Desk@Shop.example","imap":"imaps://desk@mail.example:993"}"#;
        let known = ["\"desk@shop.example\"", "\"imaps://desk@mail.example:993\""];
        assert_eq!(accounts(Channel::Email, mailbox), known);
    }
}
