use super::*;

#[test]
fn a_lease_binds_while_it_can_have_been_made_now() {
    let now = Timestamp::from_micros(1_700_000_000 * SECOND);
    // An owner that is not a process id is never known to have ended.
    let cases = [
        (-1, false),
        (0, false),
        (1, true),
        (LEASE_LIFETIME, true),
        (LEASE_LIFETIME + 1, false),
        (3_600 * SECOND, false),
    ];
    for (ahead, bound) in cases {
        assert_eq!(is_lease_held("somebody", now.plus(ahead), now), bound, "{ahead}");
    }
}

#[tokio::test]
async fn a_lease_from_before_the_clock_was_set_back_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let now = Timestamp::from_micros(1_700_000_000 * SECOND);
    let hold = |owner: &'static str, at: Timestamp| {
        let wanted = vec![LeaseRequest {
            name: "chat".to_owned(),
            channel: ChannelId::new("chat"),
            sends: true,
            rank: ProcessRank::Inbox,
            kind: "inbox",
            health: LeaseHealth::default(),
        }];
        let store = store.clone();
        async move { store.acquire_leases(owner, wanted, at).await.unwrap().remove(0) }
    };
    assert!(matches!(hold("one", now).await, LeaseOwner::This(_)));
    assert!(matches!(hold("two", now.plus(SECOND)).await, LeaseOwner::Other(_)));
    let set_back = now.plus(-3_600 * SECOND);
    assert_eq!(store.load_lease("two", "chat", set_back).await.unwrap(), None);
    assert_eq!(hold("two", set_back).await, LeaseOwner::This(set_back.plus(LEASE_LIFETIME)));
    assert!(matches!(hold("one", set_back).await, LeaseOwner::Other(_)));
}

#[test]
fn files_are_fresh_while_their_keeper_says_that_the_server_answers() {
    let now = Timestamp::from_micros(1_700_000_000 * SECOND);
    let why = || SafeText::line("gone");
    let live = |ago: i64| Some(Health::Live { at: now.plus(-ago) });
    let cases = [
        (live(0), true),
        (live(FRESHNESS_LIMIT), true),
        (live(FRESHNESS_LIMIT + 1), false),
        (live(-FRESHNESS_LIMIT - 1), false),
        (Some(Health::Connecting), false),
        (Some(Health::Silent { since: now }), false),
        (Some(Health::Offline { since: now, why: why() }), false),
        (Some(Health::Trouble { since: now, why: why() }), false),
        (Some(Health::Limited { until: now.plus(SECOND) }), false),
        (Some(Health::Refused { code: why(), why: why() }), false),
        (Some(Health::Misconfigured { why: why() }), false),
        (None, false),
    ];
    for (health, fresh) in cases {
        let other = OtherProcess {
            owner: "4312-inbox".to_owned(),
            kind: SafeText::line("inbox"),
            rank: ProcessRank::Inbox as i64,
            until: now.plus(LEASE_LIFETIME),
            health: LeaseHealth { health: health.clone(), budget: None },
        };
        assert_eq!(other.has_fresh_files(now), fresh, "{health:?}");
    }
}
