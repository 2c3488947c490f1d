//! Calm of the demo over simulated time.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::auth::Member;
use crate::database::conversations::Pauser;
use crate::database::session::DbSession;
use crate::database::team::conversations as shared;
use crate::database::team::people;
use crate::database::{Durability, conversations, messages, workspaces};
use crate::demo::{DESK_PERSON_ID, script};
use crate::errors::ApiError;
use crate::options::Options;
use crate::start;
use crate::state::Service;
use crate::takeover::{self, AutomationSubject};
use crate::team::{conversations as rules, person_name};
use crate::world::{catch_up, team};
use crate::write::WriteContext;
use api::extras::MessageExtras;
use api::team::{ClaimRequest, Doing, StoredPresence};
use model::time::{Clock, Moment, SECOND, Timestamp};

/// Minutes until the colleagues have settled what waits at the start.
const SETTLING_MINUTES: i64 = 5;
/// Longest time without a conversation that needs a person, in minutes.
const MAX_QUIET_MINUTES: i64 = 5;

struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }

    fn moment(&self) -> Moment {
        Moment::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// Ids of the open conversations that need a person, and the number of open conversations.
async fn waiting(service: &Service) -> (HashSet<String>, usize) {
    let state = service.clone();
    let listed = service.database.read(move |db| {
        let work = WriteContext::of_service(db, &state, state.clock.now());
        team::list_open(&work)
    });
    let open = listed.await.expect("the conversations");
    let count = open.len();
    (open.into_iter().filter(|row| row.needs_person).map(|row| row.id).collect(), count)
}

async fn open_demo(folder: &Path) -> (Service, Arc<HandClock>) {
    let clock = Arc::new(HandClock(AtomicI64::new(1_764_000_000_000_000)));
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = Options { demo: true, ..Options::new(address, folder.join("service.db"), clock.clone()) };
    let prepared = start::open_service(options, address, Durability::Simulated).await.expect("it opens");
    (prepared.service, clock)
}

#[tokio::test]
async fn demo_stays_calm_for_an_hour_and_always_has_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let (service, clock) = open_demo(folder.path()).await;
    let (mut before, _) = waiting(&service).await;
    let (mut quiet, mut arrived) = (0, 0);
    for minute in 1..=60 {
        for _ in 0..12 {
            clock.0.fetch_add(5 * SECOND, Ordering::SeqCst);
            catch_up(&service).await.expect("the world goes on");
        }
        let (now, open) = waiting(&service).await;
        println!("minute {minute}: {} of {open}", now.len());
        if minute > SETTLING_MINUTES {
            assert!(now.len() * 10 <= open, "minute {minute}: {} of {open} need a person", now.len());
            quiet = if now.is_empty() { quiet + 1 } else { 0 };
            assert!(quiet <= MAX_QUIET_MINUTES, "minute {minute}: nobody needs a person");
        }
        arrived += now.difference(&before).count();
        before = now;
        match minute {
            15 => assert!((4..=15).contains(&arrived), "{arrived} in 15 minutes"),
            60 => assert!((18..=45).contains(&arrived), "{arrived} in 60 minutes"),
            _ => (),
        }
    }
}

/// State of the team, as far as the colleagues change it.
#[derive(Debug, Default)]
struct TeamSeen {
    /// Ids of the people who had a claim, by conversation.
    claims: HashSet<(String, String)>,
    notes: HashSet<String>,
    doing: Vec<Doing>,
    /// Conversations with an answer of a colleague.
    answered: HashSet<String>,
}

fn desk_person(db: &dyn DbSession) -> Member {
    let workspace = workspaces::first(db).expect("a workspace").id;
    let person = people::find(db, &workspace, DESK_PERSON_ID).expect("read").expect("a person");
    Member { session: "desk".to_owned(), workspace, person, suspended: false }
}

/// Reads what the colleagues have done by now.
async fn observe(service: &Service, seen: &mut TeamSeen) {
    let state = service.clone();
    let read = service.database.read(move |db| {
        let workspace = desk_person(db).workspace;
        let mut seen = TeamSeen::default();
        for row in shared::list_changed(db, &workspace, Timestamp::default(), 1000)? {
            let body = rules::shared_body(db, row)?;
            seen.claims.extend(body.claim.map(|claim| (body.id.clone(), claim.person.id)));
            seen.notes.extend(body.notes.into_iter().map(|note| note.text));
            let newest = messages::newest(db, &body.id, 20)?;
            let agents = newest.iter().filter_map(|row| MessageExtras::read(row.extras.as_deref()).agent);
            seen.answered.extend(agents.map(|_| body.id.clone()));
        }
        let present = state.team.presence.list(&workspace, state.clock.now().micros());
        let colleagues = present.into_iter().filter(|event| event.person.id != DESK_PERSON_ID);
        seen.doing = colleagues.filter_map(|event| event.doing).collect();
        Ok::<_, ApiError>(seen)
    });
    let now = read.await.expect("read");
    seen.claims.extend(now.claims);
    seen.notes.extend(now.notes);
    seen.doing.extend(now.doing);
    seen.answered.extend(now.answered);
}

#[tokio::test]
async fn colleagues_claim_note_and_answer_but_not_what_the_person_at_the_desk_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let (service, clock) = open_demo(folder.path()).await;
    let (waiting, _) = waiting(&service).await;
    let mut waiting: Vec<String> = waiting.into_iter().collect();
    waiting.sort();
    let [claimed, paused, visited] = &waiting[..3] else { panic!("{waiting:?}") };
    let (state, ids) = (service.clone(), [claimed.clone(), paused.clone()]);
    let holding = service.database.write(move |db| {
        let work = WriteContext::of_service(db, &state, state.clock.now());
        rules::claim(&work, &desk_person(db), &ids[0], &ClaimRequest::default())?;
        takeover::switch(db, AutomationSubject::Chat(&ids[1]), (false, Pauser::default()), work.now)
    });
    holding.await.expect("held");
    let member = service.database.read(|db| Ok::<_, ApiError>(desk_person(db))).await.expect("read");
    let mut seen = TeamSeen::default();
    for _ in 0..(15 * 12) {
        let presence = StoredPresence {
            session: member.session.clone(),
            person: person_name(&member.person),
            conversation: Some(visited.clone()),
            doing: Doing::Looking,
            leaves_in_ms: None,
            until: 0,
        };
        service.team.presence.set(&member.workspace, presence, service.clock.now().micros());
        clock.0.fetch_add(5 * SECOND, Ordering::SeqCst);
        catch_up(&service).await.expect("the world goes on");
        observe(&service, &mut seen).await;
    }
    let by = |person: &str| seen.claims.iter().filter(|claim| claim.1 == person).count();
    for colleague in script::demo_colleagues() {
        assert!(by(&colleague.id) >= 2, "{}: {:?}", colleague.name, seen.claims);
    }
    assert!(seen.notes.iter().any(|note| note.contains("@Ana")), "{:?}", seen.notes);
    assert!(!seen.answered.is_empty(), "{:?}", seen.claims);
    for doing in [Doing::Looking, Doing::Typing, Doing::Sending] {
        assert!(seen.doing.contains(&doing), "{doing:?}");
    }
    let mut own: Vec<&(String, String)> =
        seen.claims.iter().filter(|claim| waiting[..3].contains(&claim.0)).collect();
    own.sort();
    assert_eq!(own, [&(claimed.clone(), DESK_PERSON_ID.to_owned())], "the rest has no claim");
    assert!(waiting[..3].iter().all(|id| !seen.answered.contains(id)), "{:?}", seen.answered);
    let paused = paused.clone();
    let row = service.database.read(move |db| Ok::<_, ApiError>(conversations::with_channel(db, &paused)?));
    assert!(!row.await.expect("read").expect("a conversation").1.automation, "it is still paused");
}
