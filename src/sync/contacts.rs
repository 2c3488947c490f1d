//! Contacts: the one behind the open conversation is read now and then, and a
//! change of its tags is read, merged, written and read back. Interface:
//! Endpoints, Contacts.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::PullError;
use client::{ReadError, Receipt, differences, prepare_change, prepare_tags};
use model::account::Platform;
use model::contacts::{ToldContact, agrees, merged};
use model::ids::{ContactId, ConversationId};
use model::news::News;
use model::outbox::{Operation, OutboxRow, RowState, Stop};
use model::text::SafeText;
use model::time::MINUTE;
use store::lane::LaneRow;

/// How it is said that a contact was saved and is not as it was wished.
pub(crate) const DIFFERS: &str = "the server took it, but tells otherwise";
/// The contact of the open conversation is read again after.
const REST: i64 = 5 * MINUTE;

/// A row that is about to leave for the first time.
pub(crate) enum PreparedRow {
    /// It may leave as it is now.
    Ready(Box<LaneRow>),
    /// What it builds on could not be read.
    Unread(ReadError),
    /// Someone else has changed it, or it was stopped.
    Gone,
}

impl ChannelSync {
    /// Reads the contact of the open conversation, if that was long enough
    /// ago. Within the budget of the background: nobody waits for it.
    pub(crate) async fn read_open_contact(&self, conversation: &ConversationId) -> Result<(), PullError> {
        let platform = self.may_ask(PolledResource::Contacts).await?;
        if !platform.as_ref().is_some_and(Platform::has_contacts) {
            return Ok(());
        }
        let Some((phone, read_at)) = self.store.contact_of(self.id(), conversation).await? else {
            return Ok(());
        };
        let now = self.clock.now();
        if read_at.is_some_and(|at| (0..REST).contains(&now.since(at))) {
            return Ok(());
        }
        match self.client.contact_with(&phone).await {
            Ok(found) => {
                self.read_succeeded(PolledResource::Contacts);
                self.keep_contact(&phone, found).await?;
            }
            Err(ReadError::Forbidden(_)) => self.deny(PolledResource::Contacts),
            // Waiting for the budget is no failure, and there is no hurry.
            Err(ReadError::Paced(_)) => (),
            Err(error) => drop(self.read_failed(PolledResource::Contacts, error)),
        }
        Ok(())
    }

    async fn keep_contact(&self, phone: &str, found: Option<ToldContact>) -> Result<(), PullError> {
        let told = found.unwrap_or_default();
        if self.store.apply_contact(self.id(), phone, told, self.clock.now()).await? {
            self.tell(News::Conversations(self.id().clone()));
        }
        Ok(())
    }

    /// Gives a change of a contact the bytes it leaves with: what the contact
    /// has now, with what is wished. Other rows stay as they are.
    pub(crate) async fn merge_contact(&self, mut row: LaneRow) -> Result<PreparedRow, PullError> {
        let untried = row.row.attempts == 0 && row.row.state == RowState::Queued;
        let Some(phone) = merges(&row.row.operation).filter(|_| untried) else {
            return Ok(PreparedRow::Ready(Box::new(row)));
        };
        let found = match self.client.for_person().contact_with(phone).await {
            Ok(found) => found,
            Err(ReadError::Forbidden(why)) => {
                let why = format!("this key may not read contacts ({why}); drop it and tag on this desk");
                self.deny(PolledResource::Contacts);
                self.stop_row(&row, Stop::Refused, SafeText::line(&why)).await?;
                return Ok(PreparedRow::Gone);
            }
            Err(error) => return Ok(PreparedRow::Unread(error)),
        };
        let request = match &row.row.operation {
            Operation::ChangeTags { phone, add, remove } => {
                let before = found.map(|told_contact| told_contact.tags).unwrap_or_default();
                prepare_tags(phone, merged(&before, add, remove))
            }
            Operation::ChangeContact(change) => prepare_change(change, found.as_ref()),
            _ => return Ok(PreparedRow::Ready(Box::new(row))),
        };
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                self.stop_row(&row, Stop::Refused, SafeText::line(&error.to_string())).await?;
                return Ok(PreparedRow::Gone);
            }
        };
        Ok(match self.store.rewrite(&row.row.id, row.fence, request).await? {
            Some(key) => {
                row.row.key = key;
                PreparedRow::Ready(Box::new(row))
            }
            None => PreparedRow::Gone,
        })
    }

    /// What a contact has after a change: what the server tells counts. It is
    /// read back unless the answer told all of it and is as it was wished.
    /// Tells in words what the server has otherwise.
    pub(crate) async fn read_contact_back(
        &self,
        row: &OutboxRow,
        receipt: &Receipt,
        saved: Option<&ContactId>,
        answered: Option<&ToldContact>,
    ) -> Result<Option<String>, PullError> {
        let operation = &row.operation;
        let Some(phone) = about(operation).filter(|_| !receipt.test) else { return Ok(None) };
        let client = self.client.for_person();
        // The first one that is found teaches how to look for the next.
        let by_id = saved.filter(|_| client.knows_number_search());
        let enough = answered.filter(|told_contact| {
            by_id.is_some() && !receipt.replayed && is_wished(operation, told_contact)
        });
        let told = match (enough, by_id) {
            (Some(told), _) => Ok(Some(told.clone())),
            (None, Some(id)) => client.contact_told(id).await.map(Some),
            (None, None) => client.contact_with(phone).await,
        };
        let Ok(Some(told)) = told else { return Ok(None) };
        let differs = match operation {
            Operation::ChangeTags { add, remove, .. } if !agrees(&told.tags, add, remove) => {
                Some("the server took the tags, but tells others; # shows what it has".to_owned())
            }
            Operation::ChangeContact(change) => match differences(change, &told) {
                all if all.is_empty() => None,
                all => Some(format!("{DIFFERS}: {}", all.join(", "))),
            },
            _ => None,
        };
        if differs.is_none() && matches!(operation, Operation::ChangeContact(_)) {
            let done = if receipt.created { "made" } else { "saved" };
            let name = told.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| phone.to_owned());
            self.tell(News::Told(
                self.id().clone(),
                row.id.clone(),
                SafeText::line(&format!("{done}: {name}")),
            ));
        }
        self.keep_contact(phone, Some(told)).await?;
        Ok(differs)
    }
}

/// Whether a contact is as a change of it wished.
fn is_wished(operation: &Operation, told: &ToldContact) -> bool {
    matches!(operation, Operation::ChangeContact(change) if differences(change, told).is_empty())
}

/// Whose contact an operation is merged with before it leaves.
fn merges(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::ChangeTags { phone, .. } => Some(phone),
        // What only sets a name or a mail address builds on nothing.
        Operation::ChangeContact(it) if it.changes_tags() || it.changes_metadata() => Some(&it.phone),
        _ => None,
    }
}

/// Whose contact is read back after an operation.
fn about(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::ChangeTags { phone, .. } => Some(phone),
        Operation::ChangeContact(change) => Some(&change.phone),
        _ => None,
    }
}
