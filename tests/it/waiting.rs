//! Waiting for what happens beside a test, in another process, thread or
//! socket. There is one way: look until it is so. Nothing here decides about
//! right and wrong; what a test expects, it says itself.

use std::fmt::Display;
use std::time::Duration;

use frontdesk::shell::clock::instant;

/// After this long a test is broken and gives up. Far longer than anything
/// takes on the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(240);
/// Between two looks at what wakes nobody.
const LOOK: Duration = Duration::from_millis(5);
/// Tries of what is bound to a time, each with more of it.
const TRIES: u32 = 5;

/// Looks until there is something; told with what was seen instead.
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

/// Looks until it is so.
#[track_caller]
pub fn until_so(what: &str, mut is_so: impl FnMut() -> bool) {
    until(what, || is_so().then_some(()).ok_or("it is not so"));
}

/// [`until`] for tests on a runtime.
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

/// Waits for what ends by itself.
pub async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what} never comes"),
    }
}

/// Does what blocks, such as waiting for a terminal, on a thread of its own.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("no panic")
}

/// Why a try failed.
#[derive(Debug)]
pub enum TryError {
    /// What is tested is wrong.
    Wrong(String),
    /// The time was over before what is tested could happen, as on a busy
    /// machine.
    TooLittleTime(String),
}

/// Tries again with more time, as long as it is only that which lacks; the try
/// is told how many there were before it.
///
/// # Errors
/// In words, what went wrong.
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
