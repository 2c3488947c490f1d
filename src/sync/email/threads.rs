//! Threads: fields from lists, and reading a thread with its mails. Their HTML is converted to text here,
//! off the UI thread and within a time limit.

use std::collections::HashSet;
use std::time::Duration;

use crate::ChannelSync;
use crate::email::html::{self, RenderedHtml};
use crate::histories::HistoryTicket;
use crate::report::PullError;
use crate::trigger::RING_AFTER_MARK;
use client::{Client, ReadError, ReadMail, thread_of};
use model::account::Platform;
use model::conversations::{Conversation, ConversationStatus};
use model::email::{MailMessage, Thread};
use model::ids::{ConversationId, MessageId, ThreadId};
use model::messages::{Direction, Message};
use model::news::News;
use model::text::SafeText;
use store::Snapshot;
use store::history::HistoryProgress;

/// Time limit for one mail's HTML. Far above the usual time, because a busy machine slows it down and the
/// result is permanent.
const HTML_TIMEOUT: Duration = Duration::from_secs(10);

impl ChannelSync {
    /// Stores the thread fields of a page before its conversations are merged, and sets on each item if
    /// it is archived. `defaults` holds values known for all items. Returns true if anything changed. Mail only.
    pub(crate) async fn store_threads(
        &self,
        items: &mut [Conversation],
        defaults: Option<Thread>,
        snapshot: Snapshot,
    ) -> Result<bool, PullError> {
        if self.platform().await? != Some(Platform::Email) {
            return Ok(false);
        }
        let facts = items.iter().map(|item| {
            let read = thread_of(&item.raw);
            (
                item.id.clone(),
                defaults
                    .clone()
                    .map_or_else(|| read.clone(), |defaults| read.clone().with_missing_from(defaults)),
            )
        });
        let changed = self.store.apply_threads(self.id(), facts.collect(), snapshot).await?;
        let ids = items.iter().map(|item| item.id.clone()).collect();
        let archived = self.store.filter_archived(self.id(), ids).await?;
        for item in items {
            item.status = if archived.contains(&item.id) {
                ConversationStatus::Closed
            } else {
                ConversationStatus::Open
            };
        }
        Ok(changed)
    }

    /// Reads a thread with its mails, which form its history.
    pub(crate) async fn read_thread(
        &self,
        _: &HistoryTicket<'_>,
        client: &Client,
        conversation: &ConversationId,
    ) -> Result<(), PullError> {
        let lists = self.with_state(|sync_state| sync_state.lists_applied);
        let ring_after = self.time_mark(RING_AFTER_MARK).await?;
        let snapshot = self.store.snapshot();
        let own = self.store.mailbox(self.id()).await?.map(|mailbox| mailbox.address);
        let own = own.as_ref().map(SafeText::as_str);
        let whole = match client.email_thread(&ThreadId::new(conversation.as_str()), own).await {
            Err(ReadError::Same) => return Ok(()),
            whole => whole?,
        };
        let mut letters = self.store.stored_mail_messages(self.id(), conversation).await?;
        let mut messages = Vec::with_capacity(whole.mails.len());
        let mut new = Vec::new();
        let mut imported = HashSet::new();
        for mail in whole.mails {
            if mail.is_imported {
                imported.insert(mail.message.id.clone());
            }
            let (message, letter) = match letters.remove(&mail.message.id) {
                // Text already laid out is kept: the text of a mail does not change.
                Some(known)
                    if known.plain == mail.mail.plain
                        && known.rich.is_some() == mail.html.is_some()
                        && has_same_facts(&known, &mail.mail) =>
                {
                    (with_text(mail.message, &known), None)
                }
                _ => {
                    let (message, letter) = lay_out_mail(mail).await;
                    (message, Some(letter))
                }
            };
            new.extend(letter.map(|letter| (message.id.clone(), letter)));
            messages.push(message);
        }
        let inbound = messages.iter().filter(|message| message.direction == Direction::Inbound);
        if let Some(came) = inbound.filter_map(|inbound: &Message| inbound.created_at).max() {
            self.store.end_local_fields(self.id(), conversation, came).await?;
        }
        self.store.apply_mail_messages(self.id(), conversation, new).await?;
        let mut rows = vec![whole.conversation];
        self.store_threads(&mut rows, Some(whole.thread), snapshot).await?;
        let row = self.store.apply_conversations(self.id(), rows, snapshot, false, Vec::new()).await?;
        let newest =
            messages.first().and_then(|message: &Message| Some((message.created_at?, message.id.clone())));
        let step = HistoryProgress::Anew { newest, older_cursor: None };
        let caught_up = self.with_state(|entry| entry.lists_applied) == lists;
        let applied = self
            .store
            .apply_history(self.id(), conversation, messages, Platform::Email, step, caught_up)
            .await?;
        self.publish_messages_except(&applied, ring_after, &imported);
        if row.has_changes() {
            self.publish(News::Conversations(self.id().clone()));
        }
        if row.superseded == 0 {
            client.record_applied();
        }
        Ok(())
    }
}

/// True if two readings agree on what may differ later: a newer server may report more, and an invitation is
/// answered or cancelled.
fn has_same_facts(known: &MailMessage, reported: &MailMessage) -> bool {
    let is_same_mail = (&known.from, &known.sender, &known.reply_to, known.is_unanswerable)
        == (&reported.from, &reported.sender, &reported.reply_to, reported.is_unanswerable);
    is_same_mail
        && (&known.delivered_to, &known.invitation, known.invitation_response)
            == (&reported.delivered_to, &reported.invitation, reported.invitation_response)
}

/// Message of a mail with its HTML converted to text.
async fn lay_out_mail(mail: ReadMail) -> (Message, MailMessage) {
    let ReadMail { message, mail: mut letter, html, .. } = mail;
    if let Some(html) = html {
        let shown = render_html(&message.id, html).await;
        letter.rich = Some(shown.text);
        letter.links = shown.links;
    }
    (with_text(message, &letter), letter)
}

async fn render_html(id: &MessageId, html: String) -> RenderedHtml {
    let kept = html.clone();
    let work = tokio::task::spawn_blocking(move || html::html_to_text(&html));
    match tokio::time::timeout(HTML_TIMEOUT, work).await {
        Ok(Ok(shown)) => shown,
        _ => {
            tracing::warn!(%id, "the HTML of a mail took too long to convert and is shown as plain text");
            html::too_complex_notice(&kept)
        }
    }
}

/// Sets the searchable text of a message: the plain part, or the converted HTML if there is none.
fn with_text(mut message: Message, letter: &MailMessage) -> Message {
    if let Some(text) = letter.plain.as_ref().or(letter.rich.as_ref()) {
        message.content = text.clone();
    }
    message
}
