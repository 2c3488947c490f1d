//! Write scopes: the workspace that a row belongs to.

use std::sync::PoisonError;

use crate::database::rows::{bound, single_cell};
use crate::database::session::{DbSession, WriteScope};
use crate::database::{Database, DatabaseError, channels};

/// Maximum number of cached channels; a channel never changes its workspace.
const MAX_CACHED_CHANNELS: usize = 100_000;

/// SQL for the workspace of a message, conversation, mail, thread or broadcast; `id` is the SQL of
/// its id.
pub fn subject_workspace_sql(id: &str) -> String {
    let channels = ["messages", "conversations", "emails", "threads", "broadcasts"]
        .map(|text| format!("(SELECT channel FROM {text} WHERE {text}.id = {id})"));
    format!("SELECT workspace FROM channels WHERE channels.id = coalesce({})", channels.join(", "))
}

/// Returns the workspace of a message, conversation, mail, thread or broadcast.
pub fn workspace_of_subject(db: &dyn DbSession, id: &str) -> Result<Option<String>, DatabaseError> {
    db.fetch_optional(&subject_workspace_sql("?1"), bound![id], single_cell)
}

impl WriteScope {
    pub fn of(workspace: Option<String>) -> Self {
        workspace.map_or(Self::Everything, Self::Workspace)
    }
}

impl Database {
    pub async fn scope_of_channel(&self, channel: &str) -> Result<WriteScope, DatabaseError> {
        // A file has one order of commits anyway.
        if !self.is_shared() {
            return Ok(WriteScope::Everything);
        }
        let known = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner).get(channel).cloned();
        if known.is_some() {
            return Ok(WriteScope::of(known));
        }
        let id = channel.to_owned();
        let found: Option<String> = self.read(move |db| channels::find_workspace(db, &id)).await?;
        if let Some(found) = &found {
            let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
            if workspaces.len() >= MAX_CACHED_CHANNELS {
                workspaces.clear();
            }
            workspaces.insert(channel.to_owned(), found.clone());
        }
        Ok(WriteScope::of(found))
    }

    /// Scope of a write to a message, conversation, mail, thread or broadcast.
    pub async fn scope_of_subject(&self, subject: &str) -> Result<WriteScope, DatabaseError> {
        if !self.is_shared() {
            return Ok(WriteScope::Everything);
        }
        let subject = subject.to_owned();
        Ok(WriteScope::of(self.read(move |db| workspace_of_subject(db, &subject)).await?))
    }
}
