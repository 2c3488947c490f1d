//! Stale answers of a lagging replica: nothing is missed and nothing notifies twice.

use frontdesk::model::ids::ConversationId;
use frontdesk::model::time::{MINUTE, SECOND};

use crate::simulation::crowd::{Crowd, Setting};
use crate::simulation::line::Fault;
use crate::simulation::town::{Happening, phone};

/// A desk that has read one message of one customer, with its answers stored for a replay.
async fn one_conversation() -> (Crowd, ConversationId) {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.desks[0].line.keep_everything();
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass(MINUTE).await;
    let here = crowd.with(0, &phone(0)).expect("listed").conversation.id;
    crowd.desks[0].tab().channel().pull_history(&here).await;
    crowd.desks[0].line.keep_nothing_more();
    crowd.desks[0].line.seen();
    (crowd, here)
}

fn was_old(crowd: &Crowd) -> bool {
    crowd.desks[0].line.seen().iter().any(|seen| seen.was_kept)
}

/// Opens a conversation twice, so far apart that both count.
async fn look_until_gone(crowd: &mut Crowd, conversation: &ConversationId) {
    crowd.desks[0].tab().channel().pull_history(conversation).await;
    crowd.pass_in_town(6 * SECOND).await;
    crowd.desks[0].tab().channel().pull_history(conversation).await;
}

#[tokio::test]
async fn a_conversation_that_is_gone_does_not_ring_again() {
    let (mut crowd, here) = one_conversation().await;
    assert_eq!(crowd.town(async |crowd| crowd.delete(&phone(0)).await).await, 200);
    look_until_gone(&mut crowd, &here).await;
    assert!(crowd.list(0).is_empty(), "removed");
    for _ in 0..2 {
        crowd.desks[0].line.script([Some(Fault::Stale)]);
        crowd.desks[0].tab().channel().pull_history(&here).await;
        assert!(was_old(&crowd) && crowd.list(0).len() == 1, "the old page brings it back");
        look_until_gone(&mut crowd, &here).await;
        assert!(crowd.list(0).is_empty(), "and it goes again");
    }
    let notices = crowd.desks[0].notices.lock().expect("no one failed");
    assert_eq!((notices.count, notices.doubled.len()), (1, 0), "it rang once");
}

#[tokio::test]
async fn a_history_that_lags_behind_the_list_is_read_again() {
    let (mut crowd, here) = one_conversation().await;
    crowd.town(async |crowd| crowd.plan(vec![(crowd.now(), Happening::Colleague { customer: 0 })])).await;
    crowd.pass_in_town(SECOND).await;
    // The list is current; the history is stale.
    crowd.desks[0].line.script([None, Some(Fault::Stale)]);
    let (channel, steps) = crowd.desks[0].by_hand();
    channel.pull_conversations(&mut steps.list).await;
    assert!(was_old(&crowd), "the old page came");
    assert_eq!(crowd.messages(0, &here).len(), 1);
    crowd.pass(6 * MINUTE).await;
    assert_eq!(crowd.messages(0, &here).len(), 2, "the colleague's answer is there");
}

#[tokio::test]
async fn a_list_that_is_always_ahead_is_believed_no_more_after_some_readings() {
    let (mut crowd, here) = one_conversation().await;
    let ahead = "UPDATE conversations SET last_at = last_at + 60000000";
    crowd.town(async |crowd| crowd.sql().execute(ahead, []).expect("changed")).await;
    // Makes the service read its database again.
    crowd.town(async |crowd| drop(crowd.customers_write(vec![1]).await)).await;
    crowd.pass(60 * MINUTE).await;
    let path = format!("/conversations/{here}/messages");
    let asked = crowd.desks[0].line.seen().iter().filter(|entry| entry.path.starts_with(&path)).count();
    assert!((1..=3).contains(&asked), "{asked} readings of one history");
}
