//! Which lease binds, and who takes it over.

use super::*;

#[test]
fn a_lease_binds_while_it_can_have_been_made_now() {
    let now = Timestamp::from_micros(1_700_000_000 * SECOND);
    // An owner that is nobody's process is never known to have ended.
    let cases =
        [(-1, false), (0, false), (1, true), (LEASE, true), (LEASE + 1, false), (3_600 * SECOND, false)];
    for (ahead, bound) in cases {
        assert_eq!(binds("somebody", now.plus(ahead), now), bound, "{ahead}");
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
            rank: Rank::Inbox,
            kind: "inbox",
            vitals: Vitals::default(),
        }];
        let store = store.clone();
        async move { store.hold_leases(owner, wanted, at).await.unwrap().remove(0) }
    };
    assert!(matches!(hold("one", now).await, Holder::Me(_)));
    assert!(matches!(hold("two", now.plus(SECOND)).await, Holder::Other(_)));
    let set_back = now.plus(-3_600 * SECOND);
    assert_eq!(store.lease("two", "chat", set_back).await.unwrap(), None);
    assert_eq!(hold("two", set_back).await, Holder::Me(set_back.plus(LEASE)));
    assert!(matches!(hold("one", set_back).await, Holder::Other(_)));
}

#[test]
fn files_are_fresh_while_their_keeper_says_that_the_server_answers() {
    let now = Timestamp::from_micros(1_700_000_000 * SECOND);
    let why = || SafeText::line("gone");
    let live = |ago: i64| Some(Health::Live { at: now.plus(-ago) });
    let cases = [
        (live(0), true),
        (live(FRESH), true),
        (live(FRESH + 1), false),
        (live(-FRESH - 1), false),
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
        let other = Other {
            owner: "4312-inbox".to_owned(),
            kind: SafeText::line("inbox"),
            rank: Rank::Inbox as i64,
            until: now.plus(LEASE),
            vitals: Vitals { health: health.clone(), budget: None },
        };
        assert_eq!(other.keeps_fresh(now), fresh, "{health:?}");
    }
}
