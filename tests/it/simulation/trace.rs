//! What happened in a run, as one number: two runs that did the same have the
//! same.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

/// Shared by all that takes part in a run. Lines are kept only when someone
/// looks at a single seed.
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    hasher: DefaultHasher,
    lines: Option<Vec<String>>,
    count: u64,
}

impl Trace {
    /// One that keeps what it is told.
    pub fn kept() -> Self {
        let trace = Self::default();
        trace.0.lock().expect("no one failed").lines = Some(Vec::new());
        trace
    }

    /// Notes a step.
    pub fn note(&self, step: impl Hash + Debug) {
        let mut inner = self.0.lock().expect("no one failed");
        step.hash(&mut inner.hasher);
        inner.count += 1;
        if let Some(lines) = &mut inner.lines {
            lines.push(format!("{step:?}"));
        }
    }

    /// All steps so far as one number.
    pub fn hash(&self) -> u64 {
        self.0.lock().expect("no one failed").hasher.finish()
    }

    /// How many steps were noted.
    pub fn count(&self) -> u64 {
        self.0.lock().expect("no one failed").count
    }

    /// The last steps, oldest first, if they were kept.
    pub fn tail(&self, lines: usize) -> String {
        let inner = self.0.lock().expect("no one failed");
        let kept = inner.lines.as_deref().unwrap_or(&[]);
        kept[kept.len().saturating_sub(lines)..].join("\n")
    }
}
