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
mod marking;
mod notes;
mod outbox;
mod radar;
mod reacting;
mod snoozing;
mod tabs;
mod takeover;
mod trouble;
mod undoing;
mod window;
mod writing;
