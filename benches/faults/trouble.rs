//! What goes wrong while keys are pressed.

use std::time::{Duration, Instant};

use frontdesk::shell::clock::instant;
use rusqlite::Connection;
use tokio::task::JoinHandle;

use crate::proxy::Door;
use crate::proxy::fault::Fault;
use crate::scene::Scene;

/// How long the locks are held.
const LOCKED: Duration = Duration::from_secs(10);
/// Messages of a flood.
const FLOOD: usize = 5_000;
/// A name nobody has.
const NOWHERE: &str = "https://frontdesk.invalid/v1";

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing goes wrong.
    Nothing,
    /// Every request meets this fault.
    Every(Fault),
    /// The server is gone, and its connections with it.
    Gone,
    /// Another process holds the locks of both files.
    Locked,
    /// Messages arrive faster than anyone can read.
    Flood,
}

/// A trouble that has begun.
pub struct Lasting {
    trouble: Trouble,
    until: Instant,
    locks: Vec<Connection>,
    flood: Option<JoinHandle<()>>,
}

impl Trouble {
    /// All rows, in their order.
    pub fn all() -> Vec<Self> {
        let faults = Fault::ALL.iter().map(|(fault, _)| Self::Every(*fault));
        [Self::Nothing].into_iter().chain(faults).chain([Self::Gone, Self::Locked, Self::Flood]).collect()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing goes wrong",
            Self::Every(fault) => fault.name(),
            Self::Gone => "server-gone",
            Self::Locked => "files-locked-10-s",
            Self::Flood => "flood-of-5000",
        }
    }

    /// Where the inbox looks for its service, if not at the proxy.
    pub fn base_url(self) -> Option<&'static str> {
        (self == Self::Every(Fault::DeadName)).then_some(NOWHERE)
    }

    /// Whether the service takes the key no more, so that nothing is written.
    pub fn refuses_the_key(self) -> bool {
        self == Self::Every(Fault::Unauthorised)
    }

    /// Lets it begin.
    pub async fn begin(self, scene: &Scene) -> Lasting {
        let mut lasting = Lasting { trouble: self, until: instant(), locks: Vec::new(), flood: None };
        match self {
            Self::Nothing => {}
            Self::Every(fault) => {
                scene.proxy.door(fault.door()).await;
                scene.proxy.cut();
                let (trap, mut variant) = (scene.proxy.trap(), 0);
                scene.proxy.plan(move |_| {
                    variant += 1;
                    fault.script(variant, trap)
                });
            }
            Self::Gone => {
                scene.proxy.door(Door::Refused).await;
                scene.proxy.cut();
            }
            Self::Locked => {
                for lock in scene.locks() {
                    lock.busy_timeout(Duration::from_secs(5)).expect("set");
                    lock.execute_batch("BEGIN EXCLUSIVE").expect("locked");
                    lasting.locks.push(lock);
                }
                lasting.until = instant() + LOCKED;
            }
            Self::Flood => lasting.flood = Some(tokio::spawn(Scene::flood(scene.dev_url.clone(), FLOOD))),
        }
        lasting
    }
}

impl Lasting {
    /// Whether it may end.
    pub fn is_over(&self) -> bool {
        instant() >= self.until && self.flood.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends it.
    pub async fn end(self, scene: &Scene) {
        for lock in self.locks {
            lock.execute_batch("ROLLBACK").expect("unlocked");
        }
        if let Some(flood) = self.flood {
            flood.await.expect("the flood came");
        }
        if self.trouble != Trouble::Nothing {
            scene.proxy.door(Door::Open).await;
            scene.proxy.pass();
        }
    }
}
