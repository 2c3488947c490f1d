//! Cache of uploaded files, so that a file for many recipients is uploaded once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Time for which an upload is reused; the platform keeps it for 30 days.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
const MAX_CACHED_FILES: usize = 64;

/// Platform ids of files, by their URL here.
#[derive(Default)]
pub(super) struct Uploads(Mutex<HashMap<String, (String, Instant)>>);

impl Uploads {
    pub(super) fn find(&self, link: &str) -> Option<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(link).filter(|(_, at)| at.elapsed() < MAX_AGE).map(|(id, _)| id.clone())
    }

    pub(super) fn record(&self, link: &str, id: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_CACHED_FILES && !all.contains_key(link) {
            let oldest = all.iter().min_by_key(|(_, (_, at))| *at).map(|(link, _)| link.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        all.insert(link.to_owned(), (id.to_owned(), Instant::now()));
    }

    pub(super) fn forget(&self, link: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(link);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_file_is_remembered_for_a_while_and_few_of_them() {
        let uploads = Uploads::default();
        uploads.record("first", "1");
        for number in 0..MAX_CACHED_FILES {
            tokio::time::advance(Duration::from_secs(1)).await;
            uploads.record(&format!("link {number}"), "9");
        }
        assert_eq!(uploads.find("first"), None, "the oldest went");
        assert_eq!(uploads.find("link 0").as_deref(), Some("9"));
        uploads.forget("link 0");
        assert_eq!(uploads.find("link 0"), None);
        tokio::time::advance(MAX_AGE).await;
        assert_eq!(uploads.find("link 5"), None);
    }
}
