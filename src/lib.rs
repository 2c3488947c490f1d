//! frontdesk: a human-takeover inbox for an AI messaging assistant, in the
//! terminal, with an embedded service that speaks the same interface.
//!
//! # The screen, and where its parts are below `src/inbox`
//!
//! ```text
//!  1 Harbor chat LIVE 3│2 Harbor bot LIVE 1│3 …          412 credits   inbox/tabs_view.rs
//! ┌ Inbox · open ────── 14 ┐┌ Maria Lopez · +34 … ─ AI ON · open 21h ┐
//! │▌Maria Lopez   waits 6m ││              Thu 20 Nov                │
//! │▌ where is…   AI ON 21h ││ Maria  10:02  Hi, where is my order?   │  screens/history/view.rs
//! │ João Pereira       14m ││ AI     10:02  Your order number? read  │  screens/history/lines.rs
//! │   thanks!    AI OFF 3h ││ ── new since you looked ──             │
//! │  screens/conversations/ │├ Reply · LIVE · 1 credit ────── 0/4096 ─┤
//! │                        ││ screens/composer/                      │
//! └────────────────────────┘└────────────────────────────────────────┘
//!  live · key 31% of 300/min · outbox 0 · AI paused by you 3      status_view.rs
//!  r reply  p pause AI  e close  ? help                    hints.rs
//! ```
//!
//! # The floors
//!
//! Each floor is a crate of the workspace in a folder of its name under `src/`;
//! the edge ([`cli`], [`config`], [`shell`]) is this crate. Imports go only
//! downward: a floor sees what its manifest names, and `tests/it/floors.rs` says
//! what that may be. The mind (`model`, `inbox`) has no async, IO, clock or lock;
//! only its `view` files draw. The hands (`client`, `receiver`, `connections`,
//! `store`, `sync`) never draw. They meet only in `shell`; what the receiver hears becomes a look of
//! `sync` there, so that neither knows the other.
//!
//! | floor | verb | a change belongs here when it is about |
//! |---|---|---|
//! | [`disk`] | keep | files and folders of this user alone |
//! | [`sqlite`] | ask | rows by the names of their columns, for both databases |
//! | [`model`] | words | what things are called, bounds, prices, safe text |
//! | [`wire`] | contract | JSON shapes and paths, for both sides |
//! | [`inbox`] | think and show | what a key does, what is selected, what is due, what it looks like |
//! | [`client`] | speak | requests, failures, retries, pace |
//! | [`receiver`] | listen | webhooks of one's own: challenges, signatures |
//! | [`assist`] | suggest | a question to a model behind an endpoint, and its answer |
//! | [`connections`] | reach | hosts somebody configured: the guard, Data Connections |
//! | [`store`] | remember | tables, rows, windows, drafts, the outbox |
//! | [`sync`] | carry | what is polled when, and how an outbox row leaves |
//! | [`service`] | serve | the embedded service and its rules |
//! | [`shell`] | run | the loop, the terminal, threads, signals |
//! | [`cli`], [`config`] | choose | commands, switches, scripting, the configuration file |
//!
//! `docs/architecture.md` says file by file where a change goes (a key, a
//! mark, a column, a field, an operation, a popup, a page, a platform, a fault, a
//! setting, a command, an SQL column) and has the glossary; `docs/testing.md`
//! is the guide to the tests.
//!
//! # Invariants
//!
//! - Only [`inbox::Inbox::update`] changes the inbox, and only the shell holds it.
//!   Events and effects are closed enums of plain data.
//! - The screen shows only what is in the store or typed in a field. The echo
//!   of a reply is its queued row.
//! - No request changes the server unless it is an outbox row, whose exact
//!   bytes and key are on disk before the first byte leaves. A row leaves the
//!   outbox only when the server accepted it or the human dropped it.
//! - A cursor moves only in the transaction that saved its page; news is told
//!   after the commit.
//! - A load's result names its query; if that is no longer the current one,
//!   it is dropped. Selection is by id; a list never moves under the cursor,
//!   unless that rests untouched on the first row: then it follows the top.
//! - No string that a customer or a server chose selects a recipient or an
//!   identity; [`model::selector`] reads what a person typed by its shape.
//! - Each failure is classed once, in `client/errors.rs`, and is one value up
//!   to the words, exit code and JSON of a command. Ambiguity is a value.
//! - Time and randomness come in as values; `.clippy.toml` bans the clocks.
//! - Text from outside reaches a widget only as [`model::text::SafeText`];
//!   [`model::secret::Secret`] prints as dots; [`inbox::sweep_view`] looks again.
//! - Nothing is unbounded: bodies, queues, pages, histories, marks per cell.
//!
//! # One key press
//!
//! The input thread reads `p`, [`shell::decoder`] decodes it, and [`shell::input`] puts
//! it into the [`shell::mailbox`]. The loop in `shell/run.rs` wakes, hands
//! `Event::Key` to [`inbox::Inbox::update`]; the key map of [`inbox::keymap`], made
//! from [`inbox::command::TABLE`], resolves it, its row says whether it can be
//! done and what it does, and the answer is `FileWrite::Enqueue`. The writing thread
//! gives the intent its bytes and key and commits it to `outbox.db`; the row
//! comes back as `Event::Enqueued`, the list and history reload and show `AI
//! pausing`. The engine wakes, claims the row, sends it, and stores what the
//! answer says; its news makes the screen reload and show `AI OFF by you`.
//!
//! # One inbound message
//!
//! A tab's pull task asks `/triggers/new-message`. Ids that are not known yet
//! are stored with their conversation in one transaction; only then the news
//! reaches the mailbox. The app marks the list and the open history as stale
//! and asks for their windows; the reading thread answers from `cache.db`;
//! the selected row stays where it is, and the bell rings if no one looks.

pub use {assist, client, connections, disk, inbox, model, receiver, service, sqlite, store, sync, wire};

pub mod cli;
pub mod config;
pub mod shell;
