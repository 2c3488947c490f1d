//! The events of a run as one number: equal runs have equal numbers.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

/// Shared by all parts of a run. Lines are kept only for a single seed.
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    hasher: DefaultHasher,
    lines: Option<Vec<String>>,
    count: u64,
}

impl Trace {
    /// A trace that keeps its lines.
    pub fn recording() -> Self {
        let trace = Self::default();
        trace.0.lock().expect("no one failed").lines = Some(Vec::new());
        trace
    }

    pub fn note(&self, step: impl Hash + Debug) {
        let mut inner = self.0.lock().expect("no one failed");
        step.hash(&mut inner.hasher);
        inner.count += 1;
        if let Some(lines) = &mut inner.lines {
            lines.push(format!("{step:?}"));
        }
    }

    pub fn hash(&self) -> u64 {
        self.0.lock().expect("no one failed").hasher.finish()
    }

    pub fn count(&self) -> u64 {
        self.0.lock().expect("no one failed").count
    }

    /// The last kept steps, oldest first.
    pub fn tail(&self, lines: usize) -> String {
        let inner = self.0.lock().expect("no one failed");
        let kept = inner.lines.as_deref().unwrap_or(&[]);
        kept[kept.len().saturating_sub(lines)..].join("\n")
    }
}
