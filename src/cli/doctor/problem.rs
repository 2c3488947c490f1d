//! Problems that the doctor can find. Each has a heading in `docs/troubleshooting.md`, which says what to do.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    NoChannel,
    Configuration,
    MissingKey,
    RefusedKey,
    Scope,
    OtherAccount,
    Account,
    RateLimit,
    Connection,
    ServerFailure,
    OldServer,
    Clock,
    Receiver,
    Folder,
    ForeignFile,
    OpenFile,
    FullDisk,
    DamagedFile,
    OtherProcess,
    UnsentMessages,
    RebuiltCache,
    SmallTerminal,
    TerminalType,
    Charset,
    Clipboard,
    SlowEscape,
    Keyring,
    TimeZone,
    DataConnection,
    LanguageModel,
    Service,
    Database,
    SealingKey,
    Platform,
    Webhook,
}

impl Problem {
    /// All problems, in the order of the page.
    pub const ALL: [Self; Self::Webhook as usize + 1] = [
        Self::NoChannel,
        Self::Configuration,
        Self::MissingKey,
        Self::RefusedKey,
        Self::Scope,
        Self::OtherAccount,
        Self::Account,
        Self::RateLimit,
        Self::Connection,
        Self::ServerFailure,
        Self::OldServer,
        Self::Clock,
        Self::Receiver,
        Self::Folder,
        Self::ForeignFile,
        Self::OpenFile,
        Self::FullDisk,
        Self::DamagedFile,
        Self::OtherProcess,
        Self::UnsentMessages,
        Self::RebuiltCache,
        Self::SmallTerminal,
        Self::TerminalType,
        Self::Charset,
        Self::Clipboard,
        Self::SlowEscape,
        Self::Keyring,
        Self::TimeZone,
        Self::DataConnection,
        Self::LanguageModel,
        Self::Service,
        Self::Database,
        Self::SealingKey,
        Self::Platform,
        Self::Webhook,
    ];

    pub fn heading(self) -> &'static str {
        match self {
            Self::NoChannel => "No channel is configured",
            Self::Configuration => "The configuration has a mistake",
            Self::MissingKey => "There is no key",
            Self::RefusedKey => "The server refuses the key",
            Self::Scope => "The key lacks a permission",
            Self::OtherAccount => "The key is for another tab",
            Self::Account => "The channel is not connected or has no credits",
            Self::RateLimit => "The rate limit is used up",
            Self::Connection => "The server cannot be reached",
            Self::ServerFailure => "The server fails",
            Self::OldServer => "The server is older than this program",
            Self::Clock => "The clocks differ",
            Self::Receiver => "No webhook reaches this machine",
            Self::Folder => "A folder cannot be used",
            Self::ForeignFile => "A file or folder belongs to another user",
            Self::OpenFile => "Others can read or change a file",
            Self::FullDisk => "The disk is full or read-only",
            Self::DamagedFile => "A file of the desk is damaged or newer",
            Self::OtherProcess => "Another process uses the folder",
            Self::UnsentMessages => "Messages wait for a decision",
            Self::RebuiltCache => "The cache was moved aside or is not indexed",
            Self::SmallTerminal => "The terminal is too small",
            Self::TerminalType => "The terminal is not known",
            Self::Charset => "The locale is not UTF-8",
            Self::Clipboard => "Copied text does not arrive",
            Self::SlowEscape => "Esc acts late in tmux",
            Self::Keyring => "The keyring is locked or fails",
            Self::TimeZone => "The time zone is not known",
            Self::DataConnection => "A Data Connection is not ready",
            Self::LanguageModel => "The language model has no key",
            Self::Service => "The service does not run",
            Self::Database => "The database of the service cannot be used",
            Self::SealingKey => "The sealing key does not fit",
            Self::Platform => "A mailbox or another platform refuses the service",
            Self::Webhook => "A webhook is not delivered",
        }
    }

    /// Place in the book.
    pub fn place(self) -> String {
        let heading = self.heading().to_lowercase();
        format!("troubleshooting.md#{}", heading.replace(' ', "-"))
    }
}

#[cfg(test)]
mod tests {
    use super::Problem;

    #[test]
    fn every_problem_is_listed_once() {
        for (index, problem) in Problem::ALL.into_iter().enumerate() {
            assert_eq!(problem as usize, index, "{problem:?}");
        }
        assert_eq!(Problem::RefusedKey.place(), "troubleshooting.md#the-server-refuses-the-key");
    }
}
