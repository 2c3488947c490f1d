//! A mistake in a connection as somebody wrote it: what is wrong in words, and
//! the key it is about.

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionMistake {
    /// The lists below the connection that lead there, and the place in each.
    pub below: Vec<(&'static str, usize)>,
    /// The key it is about.
    pub key: &'static str,
    pub why: String,
}

impl ConnectionMistake {
    /// One about a key.
    pub fn at(key: &'static str, why: impl Into<String>) -> Self {
        Self { below: Vec::new(), key, why: why.into() }
    }

    /// The same in an entry of a list.
    #[must_use]
    pub fn in_list(mut self, list: &'static str, index: usize) -> Self {
        self.below.insert(0, (list, index));
        self
    }

    /// The same in an endpoint, which its words name.
    #[must_use]
    pub fn in_endpoint(self, index: usize, name: &str) -> Self {
        let why = format!("endpoint {name:?}: {}", self.why);
        Self { why, ..self }.in_list("endpoint", index)
    }
}
