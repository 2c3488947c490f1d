//! Handler of the list of people.

use axum::extract::State;

use crate::auth::DeskCaller;
use crate::database::DatabaseError;
use crate::database::session::DbSession;
use crate::database::team::conversations;
use crate::database::team::people::{self, Person};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::ReadRequest;
use crate::state::Service;
use api::team::{HeldConversation, TeamMember, TeamMemberList};

const MAX_LISTED_CLAIMS: i64 = 100;

/// Handles `listPeople`.
pub async fn list(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let workspace = request.caller.member()?.workspace.clone();
    service
        .database
        .read_consistent(move |db| {
            let people = people::list(db, &workspace)?.into_iter().map(|person| member_of(db, person));
            Reply::ok(&TeamMemberList { data: people.collect::<Result<_, DatabaseError>>()? })
        })
        .await
}

fn member_of(db: &dyn DbSession, person: Person) -> Result<TeamMember, DatabaseError> {
    let claims = conversations::list_held(db, &person.id, MAX_LISTED_CLAIMS)?.into_iter().map(|row| {
        HeldConversation { conversation: row.id, title: row.title, at: row.claimed_at.to_string() }
    });
    let claims = claims.collect();
    let claim_count = u32::try_from(conversations::count_held(db, &person.id)?).unwrap_or(u32::MAX);
    let Person { id, name, role, seen_at } = person;
    let (role, seen_at) = (role.word().to_owned(), seen_at.to_string());
    Ok(TeamMember { id, name, role, seen_at, claim_count, claims })
}
