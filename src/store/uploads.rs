//! File uploads: a row keeps its claim while it uploads, and becomes the send once the service has
//! the file.

use rusqlite::params;

use crate::lane::{CLAIM_LIFETIME, LaneRow};
use crate::rows::operation;
use crate::{Store, StoreError, outbox};
use model::ids::RowId;
use model::outbox::{Operation, PreparedRequest};
use model::time::Timestamp;

impl Store {
    /// Extends a claim. Returns false if the claim is lost; the upload must be cancelled then.
    pub async fn renew_claim(&self, id: &RowId, fence: i64, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.clone();
        self.outbox()
            .call_async(move |connection| {
                let kept = connection.execute(
                    "UPDATE outbox SET lease_until = ?3 WHERE id = ?1 AND fence = ?2 AND state = 'sending'",
                    params![id, fence, now.plus(CLAIM_LIFETIME).micros()],
                )?;
                Ok(kept > 0)
            })
            .await
    }

    /// Turns a row whose file was uploaded into the send: a new request and key, untried, in the
    /// same place. Returns false if the claim is lost.
    ///
    /// # Errors
    /// When the database fails; the file is uploaded again then.
    pub async fn complete_upload(
        &self,
        row: &LaneRow,
        send: Operation,
        request: PreparedRequest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (row, chance) = (row.clone(), self.chance().clone());
        self.outbox()
            .change_async(move |change| {
                let made = change.execute(
                    "UPDATE outbox SET operation = ?3, payload = ?4, idempotency_key = ?5, method = ?6, path = ?7,
                         content_type = ?8, body = ?9, state = 'queued', attempts = 0, failures = 0,
                         fence = fence + 1, lease_until = 0, first_attempt_at = NULL,
                         first_attempt_server_at = NULL, first_attempt_since_boot = NULL,
                         last_attempt_at = NULL, attempted_as = NULL, not_before = ?10, due_at = ?10
                     WHERE id = ?1 AND fence = ?2 AND state = 'sending'",
                    params![
                        row.row.id,
                        row.fencing_token,
                        send.word(),
                        operation::write(&send),
                        outbox::new_key(&chance),
                        request.method.word(),
                        request.path,
                        request.content_type,
                        request.body,
                        now
                    ],
                )?;
                if made > 0 {
                    outbox::record_audit(change, &row.row, "uploaded", "")?;
                }
                Ok(made > 0)
            })
            .await
    }
}
