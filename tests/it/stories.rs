//! Stories: what a person does with the keys, and what they see.

mod canned;
mod closing;
mod composing;
mod crossing;
mod disk;
mod drafts;
mod feel;
mod finding;
mod help;
mod history;
mod hostile;
mod leases;
mod notes;
mod outbox;
mod phone;
mod reacting;
mod reading;
mod tabs;
mod takeover;
mod trouble;
mod window;
mod writing;
