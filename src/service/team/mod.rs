//! The team: several people who share the inbox of a workspace (docs/team.md).
//!
//! A person signs in once with a token and gets a session, and a key of their own for each channel. The session
//! opens `/desk/v1`, the keys open `/v1`. Whatever the team shares is a row of the tables `team_…`, and each change
//! of it is logged in the same transaction.

mod admin;
pub mod conversations;
pub mod notes;
pub mod presence;
pub mod streams;
pub mod typing;
pub mod work;

use axum::http::Method;

use crate::auth::Requester;
use crate::database::DatabaseError;
use crate::database::session::WriteScope;
use crate::database::team::people::{self, Person};
use crate::database::team::replies::ReplyRow;
use crate::state::Service;
use api::team::{PersonBody, PersonName, ReplyBody};
use model::time::{Clock, DAY, MINUTE};

pub use admin::{AddedPerson, PersonLine};

/// Maximum number of people of a workspace.
pub const MAX_PEOPLE: usize = 200;
/// Time in which a sign-in token has to be used.
pub const TOKEN_LIFETIME: i64 = 7 * DAY;
/// Precision of the time at which a person was last active.
const ACTIVITY_PRECISION: i64 = MINUTE;

pub fn person_body(person: &Person) -> PersonBody {
    let Person { id, name, role, .. } = person.clone();
    PersonBody { id, name, role: role.word().to_owned() }
}

pub fn person_name(person: &Person) -> PersonName {
    PersonName { id: person.id.clone(), name: person.name.clone() }
}

pub fn reply_body(row: ReplyRow) -> ReplyBody {
    let person = PersonName { id: row.person, name: row.person_name };
    let changed_at = row.changed_at.to_string();
    ReplyBody { name: row.name, text: row.text, person, version: row.version, changed_at }
}

/// Records that a person is active: with a write, since desks read by themselves.
pub async fn record_activity<C: Requester>(
    service: &Service,
    caller: &C,
    method: &Method,
) -> Result<(), DatabaseError> {
    let Some(person) = caller.person() else { return Ok(()) };
    let now = service.clock.now();
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    if is_read || now.since(person.seen_at) < ACTIVITY_PRECISION {
        return Ok(());
    }
    let id = person.id.clone();
    service.database.write_in(WriteScope::Unordered, move |db| people::set_seen(db, &id, now)).await
}
