//! Stories: what a person does with the keys, and what they see.

mod closing;
mod drafts;
mod help;
mod history;
mod hostile;
mod reacting;
mod tabs;
mod takeover;
mod trouble;
mod window;
mod writing;
