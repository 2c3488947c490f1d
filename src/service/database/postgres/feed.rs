//! Reports the commits of other processes, from notifications and from polling, as notifications
//! may be lost or kept back by a pooler.
//!
//! Also sends notifications, one for several commits: inside a transaction each would block all
//! other commits on the server.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::time::sleep;
use tokio_postgres::Client;

use crate::database::DatabaseError;
use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::link;
use crate::database::postgres::order::CommitOrder;
use crate::database::rows::DbRow;

const POLL_INTERVAL: Duration = Duration::from_millis(150);
const NOTIFIED_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Commits within this time share a notification.
const NOTIFICATION_SPACING: Duration = Duration::from_millis(20);
const RECONNECT_DELAY: Duration = Duration::from_millis(500);

/// Commits seen so far, of this and other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommitState {
    pub revision: i64,
    pub clock_shift: i64,
}

/// Thread that follows the commits; it ends when this is dropped.
pub struct ChangeFeed {
    receiver: watch::Receiver<CommitState>,
    stop: Arc<Notify>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Follower {
    address: ServerAddress,
    listens: bool,
    order: Arc<CommitOrder>,
    sender: watch::Sender<CommitState>,
}

impl ChangeFeed {
    pub fn start(
        address: ServerAddress,
        listens: bool,
        order: Arc<CommitOrder>,
    ) -> Result<Self, DatabaseError> {
        let (tell, told) = watch::channel(CommitState::default());
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let follower = Follower { address, listens, order, sender: tell };
        let thread = std::thread::Builder::new().name("service-feed".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = follower.follow() => {}
                    () = stopped.notified() => {}
                }
            });
        })?;
        Ok(Self { receiver: told, stop, thread: Mutex::new(Some(thread)) })
    }

    pub fn watch(&self) -> watch::Receiver<CommitState> {
        self.receiver.clone()
    }

    pub fn stop(&self) {
        self.stop.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the task that follows the database's commits failed");
        }
    }
}

impl Drop for ChangeFeed {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Follower {
    async fn follow(&self) {
        loop {
            if let Err(cause) = self.follow_connected().await {
                tracing::warn!(%cause, "commits of other processes cannot be followed right now");
            }
            sleep(RECONNECT_DELAY).await;
        }
    }

    async fn follow_connected(&self) -> Result<(), DatabaseError> {
        let (heard, mut hearing) = mpsc::channel(1);
        let client = self.address.connect(Some(heard)).await?;
        if self.listens {
            batch_execute(&client, "LISTEN frontdesk").await?;
        }
        let pause = if self.listens { NOTIFIED_POLL_INTERVAL } else { POLL_INTERVAL };
        loop {
            self.read_changes(&client).await?;
            tokio::select! {
                () = self.order.committed.notified(), if self.listens => {
                    sleep(NOTIFICATION_SPACING).await;
                    batch_execute(&client, "NOTIFY frontdesk").await?;
                }
                heard = hearing.recv() => heard.ok_or(DatabaseError::Lost)?,
                () = sleep(pause) => {}
            }
        }
    }

    async fn read_changes(&self, client: &Client) -> Result<(), DatabaseError> {
        let sql =
            "SELECT revision + (SELECT CAST(coalesce(sum(workspaces.revision), 0) AS BIGINT) FROM workspaces) AS revision,
             (SELECT value FROM meta WHERE name = 'clock_shift') AS shift FROM commit_order";
        let row = client.query_one(sql, &[]).await.map_err(|cause| link::database_error(&cause))?;
        let row = DbRow::of(&row);
        let (revision, shift): (i64, Option<Vec<u8>>) = (row.get("revision")?, row.get("shift")?);
        let shift = shift.and_then(|shift| std::str::from_utf8(&shift).ok()?.parse().ok()).unwrap_or(0);
        // Own commits were announced already; announcing them again only wakes subscribers, but
        // leaving them out could hide another process's commit.
        let news = CommitState { revision, clock_shift: shift };
        self.sender.send_if_modified(|told| std::mem::replace(told, news) != news);
        Ok(())
    }
}

async fn batch_execute(client: &Client, sql: &str) -> Result<(), DatabaseError> {
    client.batch_execute(sql).await.map_err(|cause| link::database_error(&cause))
}
