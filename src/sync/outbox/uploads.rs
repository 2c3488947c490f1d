//! Uploads attachments beside the other outbox rows, so that nothing waits for a large file, least of all
//! a pause of the AI. After the upload the row becomes the send and takes its turn in its lane.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crate::ChannelSync;
use crate::outbox::PushStep;
use crate::outbox::outcome::result_of_retry;
use crate::outbox::send::{AccountFit, AttemptState, SenderAccount, attempt_phase};
use crate::report::PullError;
use client::retry::{self, RetryStep};
use client::transport::UploadProgress;
use client::{Attachments, Receipt, ReceiptKind, WriteOutcome};
use model::account::Platform;
use model::news::News;
use model::outbox::{Operation, RowState, StopReason};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use store::lane::{LaneRow, is_lapsed};

/// Interval at which a claim is renewed and checked during an upload.
const CLAIM_RENEW_INTERVAL: Duration = Duration::from_secs(2);
/// Delay after an error of the data files, in microseconds.
const RETRY_DELAY: i64 = 2 * SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UploadStep {
    Upload(usize),
    /// Stop this row: it belongs to another account.
    AskAboutAccount(usize),
    Recover,
    Wait(Timestamp),
    Nothing,
}

/// Chooses the first file to upload, regardless of other rows being sent.
fn choose_upload(rows: &[LaneRow], now: Timestamp, sender: SenderAccount<'_>) -> UploadStep {
    let mut due: Option<Timestamp> = None;
    for (index, lane) in rows.iter().enumerate().filter(|(_, lane_row)| lane_row.row.is_upload()) {
        let at = match lane.row.state {
            RowState::Queued | RowState::Uncertain if lane.row.not_before <= now => {
                match sender.check_fit(lane) {
                    AccountFit::Same => return UploadStep::Upload(index),
                    AccountFit::Other => return UploadStep::AskAboutAccount(index),
                    // The account is read for other rows or by the poll.
                    AccountFit::Unconfirmed => now.plus(RETRY_DELAY),
                }
            }
            RowState::Queued | RowState::Uncertain => lane.row.not_before,
            RowState::Sending if lane.cut_off || is_lapsed(lane.lease_until, now) => {
                return UploadStep::Recover;
            }
            RowState::Sending => lane.lease_until.plus(1),
            RowState::Stopped(..) | RowState::Done => continue,
        };
        due = Some(due.map_or(at, |due| due.min(at)));
    }
    due.map_or(UploadStep::Nothing, UploadStep::Wait)
}

impl ChannelSync {
    /// Uploads at most one file, or returns when the next is due.
    pub async fn upload_once(&self, tries: &mut AttemptState, now: Timestamp) -> PushStep {
        if self.spec().read_only || !self.with_health(|pulse, _| pulse.may_push()) {
            return PushStep::Halted;
        }
        let answered = self.with_health(|pulse, _| pulse.last_answer());
        if let Some(until) = tries.probe.wait_until(answered, now) {
            return PushStep::Due(until);
        }
        match self.upload_next(tries, now).await {
            Ok(step) => step,
            Err(error) => {
                tracing::error!(channel = %self.id(), %error, "a file could not be uploaded");
                PushStep::Due(now.plus(RETRY_DELAY))
            }
        }
    }

    /// Uploads until nothing is due.
    pub async fn upload_all(&self, tries: &mut AttemptState, now: Timestamp) -> PushStep {
        loop {
            let step = self.upload_once(tries, now).await;
            if step != PushStep::Moved {
                return step;
            }
        }
    }

    async fn upload_next(&self, tries: &mut AttemptState, now: Timestamp) -> Result<PushStep, PullError> {
        let rows = self.store.lane_rows(self.id()).await?;
        let account = self.confirmed_account().await?;
        match choose_upload(&rows, now, self.sender_account(account.as_ref())) {
            UploadStep::Nothing => return Ok(PushStep::Idle),
            UploadStep::Wait(until) => return Ok(PushStep::Due(until)),
            UploadStep::Recover => {
                self.store.recover_lapsed(now).await?;
            }
            UploadStep::AskAboutAccount(index) => {
                if let Some(account) = &account {
                    self.ask_about_account(&rows[index], account).await?;
                }
            }
            UploadStep::Upload(index) => {
                let row = &rows[index];
                let claimed = self
                    .store
                    .claim(&row.row.id, row.fencing_token, self.clock_times(now), self.credential())
                    .await?;
                if let Some(claimed) = claimed {
                    self.upload(tries, claimed).await?;
                }
            }
        }
        Ok(PushStep::Moved)
    }

    async fn upload(&self, tries: &mut AttemptState, claimed: LaneRow) -> Result<(), PullError> {
        let row = &claimed.row;
        let Some(outcome) = self.upload_with_claim(&claimed).await? else {
            tracing::info!(channel = %self.id(), row = %row.id, "a file was withdrawn during its upload");
            return Ok(());
        };
        let now = self.clock.now();
        tries.record(&row.id, &outcome, now);
        let attempt = self.attempt_info(&claimed, &tries.uncertain, now).await;
        let next = retry::decide(&outcome, attempt);
        self.apply_outcome(&outcome);
        match (next, outcome) {
            (RetryStep::Done, WriteOutcome::Done(receipt)) => {
                self.queue_uploaded_send(&claimed, receipt, now).await
            }
            (RetryStep::Stop(stop, why), _) => {
                let why = SafeText::line(&format!("the upload: {why}"));
                // No upload reaches a recipient, so its outcome is not ambiguous.
                let stop = if stop.is_ambiguous() { StopReason::Upload } else { stop };
                self.stop_row(&claimed, stop, why).await
            }
            (next, _) => match result_of_retry(next, now) {
                Some(settlement) => self.settle(&claimed, settlement).await,
                None => Ok(()),
            },
        }
    }

    /// Uploads the file and renews the claim meanwhile; `None` if the row was recalled.
    async fn upload_with_claim(&self, claimed: &LaneRow) -> Result<Option<WriteOutcome<Receipt>>, PullError> {
        let row = &claimed.row;
        let Some(request) = self.store.request(&row.id).await? else { return Ok(None) };
        tracing::info!(channel = %self.id(), row = %row.id, bytes = request.body.len(), "uploading a file");
        self.publish_row_change(claimed);
        let client = self.client.with_progress(self.progress_reporter(claimed, request.body.len()));
        let leaving = client.send_write(&row.operation, &request, &row.key, attempt_phase(claimed));
        tokio::pin!(leaving);
        loop {
            tokio::select! {
                biased;
                outcome = &mut leaving => return Ok(Some(outcome)),
                () = tokio::time::sleep(CLAIM_RENEW_INTERVAL) => {
                    if !self.store.renew_claim(&row.id, claimed.fencing_token, self.clock.now()).await? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Reports each whole percent once.
    fn progress_reporter(&self, claimed: &LaneRow, total: usize) -> UploadProgress {
        let (tell, channel, row) = (self.publisher(), self.id().clone(), claimed.row.id.clone());
        let told = AtomicU8::new(u8::MAX);
        UploadProgress::new(move |bytes| {
            let percent = u8::try_from(bytes.saturating_mul(100) / total.max(1)).unwrap_or(100).min(100);
            if told.swap(percent, Ordering::SeqCst) != percent {
                tell(News::Uploading(channel.clone(), row.clone(), Some(percent)));
            }
        })
    }

    async fn queue_uploaded_send(
        &self,
        claimed: &LaneRow,
        receipt: Receipt,
        now: Timestamp,
    ) -> Result<(), PullError> {
        let Operation::SendFile(file) = &claimed.row.operation else { return Ok(()) };
        let ReceiptKind::Uploaded { url: Some(url) } = receipt.kind else {
            let why = "the server returned no address for the uploaded file, so it cannot be sent; test \
                       keys store no files";
            return self.stop_row(claimed, StopReason::Refused, SafeText::line(why)).await;
        };
        // On failure the file is uploaded again when next used.
        if let Err(error) = self.store.remember_upload(self.id(), file.kind, &url).await {
            tracing::warn!(channel = %self.id(), %error, "an uploaded file could not be recorded");
        }
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        let send = file.to_send_operation(&url);
        match client::prepare_with(&platform, &claimed.row.lane, &send, Attachments::default()) {
            Ok(request) => {
                self.store.complete_upload(claimed, send, request, now).await?;
                self.publish(News::Uploading(self.id().clone(), claimed.row.id.clone(), None));
                self.publish_row_change(claimed);
                Ok(())
            }
            Err(error) => {
                self.stop_row(claimed, StopReason::Refused, SafeText::line(&error.to_string())).await
            }
        }
    }

    fn publish_row_change(&self, claimed: &LaneRow) {
        if let Some(conversation) = claimed.row.lane.conversation() {
            self.publish(News::History(self.id().clone(), conversation.clone()));
        }
    }
}
