//! A mistake in the definition of a connection: description and configuration key.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionMistake {
    /// Lists that contain the key, with the index in each.
    pub below: Vec<(&'static str, usize)>,
    pub key: &'static str,
    pub why: String,
}

impl ConnectionMistake {
    pub fn at(key: &'static str, why: impl Into<String>) -> Self {
        Self { below: Vec::new(), key, why: why.into() }
    }

    /// Moves the mistake into an entry of a list.
    #[must_use]
    pub fn in_list(mut self, list: &'static str, index: usize) -> Self {
        self.below.insert(0, (list, index));
        self
    }

    /// Moves the mistake into an endpoint and names it in the description.
    #[must_use]
    pub fn in_endpoint(self, index: usize, name: &str) -> Self {
        let why = format!("endpoint {name:?}: {}", self.why);
        Self { why, ..self }.in_list("endpoint", index)
    }
}
