//! Waiting for events in other processes, threads or sockets, by polling.

use std::fmt::Display;
use std::time::Duration;

use frontdesk::shell::clock::instant;

/// Timeout of a broken test; far longer than anything takes on the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(240);
/// Polling interval.
const LOOK: Duration = Duration::from_millis(5);
/// Maximum tries of a time-bound step, each with more time.
const TRIES: u32 = 5;

/// Polls until there is a value; a timeout reports the last error.
#[track_caller]
pub fn until<T, E: Display>(what: &str, mut look: impl FnMut() -> Result<T, E>) -> T {
    let end = instant() + PATIENCE;
    loop {
        match look() {
            Ok(found) => return found,
            Err(seen) => assert!(instant() < end, "{what} never comes: {seen}"),
        }
        std::thread::sleep(LOOK);
    }
}

/// Polls until a condition is true.
#[track_caller]
pub fn until_so(what: &str, mut is_so: impl FnMut() -> bool) {
    until(what, || is_so().then_some(()).ok_or("it is not so"));
}

/// [`until`] for async tests.
pub async fn until_found<T, E: Display>(what: &str, mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let end = instant() + PATIENCE;
    loop {
        match look().await {
            Ok(found) => return found,
            Err(seen) => assert!(instant() < end, "{what} never comes: {seen}"),
        }
        tokio::time::sleep(LOOK).await;
    }
}

pub async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what} never comes"),
    }
}

/// Runs blocking work on a thread.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("no panic")
}

#[derive(Debug)]
pub enum TryError {
    Wrong(String),
    /// The time was over before the tested event could happen, as on a busy machine.
    TooLittleTime(String),
}

/// Tries again with more time while time is the only problem; `attempt` gets the number of earlier
/// tries.
///
/// # Errors
/// Describes the failure.
pub async fn with_more_time<F>(attempt: impl Fn(u32) -> F) -> Result<(), String>
where
    F: Future<Output = Result<(), TryError>>,
{
    let mut last = String::new();
    for before in 0..TRIES {
        match attempt(before).await {
            Ok(()) => return Ok(()),
            Err(TryError::Wrong(why)) => return Err(why),
            Err(TryError::TooLittleTime(why)) => last = why,
        }
    }
    Err(last)
}

#[tokio::test]
async fn only_what_lacks_time_is_tried_again() {
    for (fits_after, outcome) in [(0, Ok(())), (2, Ok(())), (TRIES, Err("it took too long".to_owned()))] {
        let told = with_more_time(async |before| match before < fits_after {
            true => Err(TryError::TooLittleTime("it took too long".to_owned())),
            false => Ok(()),
        });
        assert_eq!(told.await, outcome, "{fits_after}");
    }
    let wrong = with_more_time(async |before| Err(TryError::Wrong(format!("try {before}"))));
    assert_eq!(wrong.await, Err("try 0".to_owned()));
}
