//! Contacts (`listContacts`, `getContact`, `upsertContact`): refreshes the contact of the open
//! conversation, and merges, writes and reads back changes of tags.

use crate::ChannelSync;
use crate::health::PolledResource;
use crate::report::PullError;
use client::{ReadError, Receipt, differences, prepare_change, prepare_tags};
use model::account::Platform;
use model::contacts::{ReceivedContact, has_expected_tags, merge_tags};
use model::ids::{ContactId, ConversationId};
use model::news::News;
use model::outbox::{Operation, OutboxRow, RowState, StopReason};
use model::text::SafeText;
use model::time::MINUTE;
use store::lane::LaneRow;

/// Shown if the server accepted a contact change but stored something else.
pub(crate) const CHANGED_BY_SERVER: &str = "the server accepted the change, but returned other values";
/// Interval between reads of the open conversation's contact, in microseconds.
const REREAD_INTERVAL: i64 = 5 * MINUTE;

/// Result of preparing a row for its first attempt.
pub(crate) enum PreparedRow {
    /// May be sent as it is.
    Ready(Box<LaneRow>),
    /// The contact it builds on could not be read.
    Unread(ReadError),
    /// Changed by another process, or stopped.
    Removed,
}

impl ChannelSync {
    /// Reads the contact of the open conversation if the interval has passed, within the background
    /// budget.
    pub(crate) async fn read_open_contact(&self, conversation: &ConversationId) -> Result<(), PullError> {
        let platform = self.may_ask(PolledResource::Contacts).await?;
        if !platform.as_ref().is_some_and(Platform::has_contacts) {
            return Ok(());
        }
        let Some((phone, read_at)) = self.store.phone_and_read_time(self.id(), conversation).await? else {
            return Ok(());
        };
        let now = self.clock.now();
        if read_at.is_some_and(|at| (0..REREAD_INTERVAL).contains(&now.since(at))) {
            return Ok(());
        }
        match self.client.contact_by_phone(&phone).await {
            Ok(found) => {
                self.read_succeeded(PolledResource::Contacts);
                self.store_contact(&phone, found).await?;
            }
            Err(ReadError::Forbidden(_)) => self.record_denied(PolledResource::Contacts),
            // Pacing is no failure; the next step tries again.
            Err(ReadError::Paced(_)) => (),
            Err(error) => drop(self.read_failed(PolledResource::Contacts, error)),
        }
        Ok(())
    }

    async fn store_contact(&self, phone: &str, found: Option<ReceivedContact>) -> Result<(), PullError> {
        let contact = found.unwrap_or_default();
        if self.store.apply_contact(self.id(), phone, contact, self.clock.now()).await? {
            self.publish(News::Conversations(self.id().clone()));
        }
        Ok(())
    }

    /// Merges a contact change with the contact's present state and stores the result as the row's bytes.
    /// Other rows are returned unchanged.
    pub(crate) async fn merge_contact(&self, mut row: LaneRow) -> Result<PreparedRow, PullError> {
        let untried = row.row.attempts == 0 && row.row.state == RowState::Queued;
        let Some(phone) = merged_contact(&row.row.operation).filter(|_| untried) else {
            return Ok(PreparedRow::Ready(Box::new(row)));
        };
        let found = match self.client.for_person().contact_by_phone(phone).await {
            Ok(found) => found,
            Err(ReadError::Forbidden(why)) => {
                let why = format!(
                    "this key may not read contacts ({why}); drop the change and add the tag on this \
                     desk only"
                );
                self.record_denied(PolledResource::Contacts);
                self.stop_row(&row, StopReason::Refused, SafeText::line(&why)).await?;
                return Ok(PreparedRow::Removed);
            }
            Err(error) => return Ok(PreparedRow::Unread(error)),
        };
        let request = match &row.row.operation {
            Operation::ChangeTags { phone, add, remove } => {
                let before = found.map(|told_contact| told_contact.tags).unwrap_or_default();
                prepare_tags(phone, merge_tags(&before, add, remove))
            }
            Operation::ChangeContact(change) => prepare_change(change, found.as_ref()),
            _ => return Ok(PreparedRow::Ready(Box::new(row))),
        };
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                self.stop_row(&row, StopReason::Refused, SafeText::line(&error.to_string())).await?;
                return Ok(PreparedRow::Removed);
            }
        };
        Ok(match self.store.replace_request(&row.row.id, row.fencing_token, request).await? {
            Some(key) => {
                row.row.key = key;
                PreparedRow::Ready(Box::new(row))
            }
            None => PreparedRow::Removed,
        })
    }

    /// Reads a contact back after a change, unless the answer was complete and matched. Returns a message
    /// if the server's state differs from the requested one.
    pub(crate) async fn verify_contact(
        &self,
        row: &OutboxRow,
        receipt: &Receipt,
        saved: Option<&ContactId>,
        answered: Option<&ReceivedContact>,
    ) -> Result<Option<String>, PullError> {
        let operation = &row.operation;
        let Some(phone) = affected_contact(operation).filter(|_| !receipt.test) else { return Ok(None) };
        let client = self.client.for_person();
        // The first contact found shows how numbers are searched for.
        let by_id = saved.filter(|_| client.is_number_search_known());
        let enough = answered.filter(|told_contact| {
            by_id.is_some() && !receipt.replayed && has_requested_values(operation, told_contact)
        });
        let reported = match (enough, by_id) {
            (Some(contact), _) => Ok(Some(contact.clone())),
            (None, Some(id)) => client.received_contact(id).await.map(Some),
            (None, None) => client.contact_by_phone(phone).await,
        };
        let Ok(Some(contact)) = reported else { return Ok(None) };
        let differs = match operation {
            Operation::ChangeTags { add, remove, .. } if !has_expected_tags(&contact.tags, add, remove) => {
                Some("the server accepted the tags, but returned others; # shows them".to_owned())
            }
            Operation::ChangeContact(change) => match differences(change, &contact) {
                all if all.is_empty() => None,
                all => Some(format!("{CHANGED_BY_SERVER}: {}", all.join(", "))),
            },
            _ => None,
        };
        if differs.is_none() && matches!(operation, Operation::ChangeContact(_)) {
            let done = if receipt.created { "made" } else { "saved" };
            let name =
                contact.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| phone.to_owned());
            self.publish(News::RowCompleted(
                self.id().clone(),
                row.id.clone(),
                SafeText::line(&format!("{done}: {name}")),
            ));
        }
        self.store_contact(phone, Some(contact)).await?;
        Ok(differs)
    }
}

fn has_requested_values(operation: &Operation, contact: &ReceivedContact) -> bool {
    matches!(operation, Operation::ChangeContact(change) if differences(change, contact).is_empty())
}

/// Phone number of the contact an operation is merged with before it is sent.
fn merged_contact(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::ChangeTags { phone, .. } => Some(phone),
        // A change of name or mail address needs no merge.
        Operation::ChangeContact(change) if change.changes_tags() || change.changes_metadata() => {
            Some(&change.phone)
        }
        _ => None,
    }
}

/// Phone number of the contact that is read back after an operation.
fn affected_contact(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::ChangeTags { phone, .. } => Some(phone),
        Operation::ChangeContact(change) => Some(&change.phone),
        _ => None,
    }
}
