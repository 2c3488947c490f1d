//! Credits: never below zero, never lost, explained by the ledger.

use super::*;

/// The balance, the sum of the ledger, and its lowest running sum.
fn books(world: &World) -> (i64, i64, i64) {
    let number = |sql: &str| cluster::count(&world.place, sql);
    (
        number("SELECT balance FROM workspaces"),
        number("SELECT sum(amount) FROM ledger"),
        number("SELECT min(s) FROM (SELECT sum(amount) OVER (ORDER BY seq) AS s FROM ledger) AS sums"),
    )
}

#[tokio::test]
async fn a_refusal_says_what_is_needed_and_what_there_is() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    world.dev("/credits", json!({"balance": 1})).await.ok();
    let template = json!({"to": ANA, "type": "template",
                          "template": {"name": "hello_again", "language": {"code": "en"}}});
    let answer = world.post("/messages/send", template).await;
    answer.refused(402, "INSUFFICIENT_CREDITS");
    assert!(
        answer.message().contains("required 2") && answer.message().contains("available 1"),
        "{answer:?}"
    );
    let sent = world.post("/messages/send", text_to(ANA, "x")).await.ok();
    assert_eq!((&sent["creditsUsed"], &sent["creditsRemaining"]), (&json!(1), &json!(0)));
    world.post("/messages/send", text_to(ANA, "x")).await.refused(402, "INSUFFICIENT_CREDITS");
    assert_eq!(world.outbound().await.len(), 1);
    // Channels of a workspace share its balance; reads and reactions are free.
    world.inbound("telegram", "77", "/start").await;
    let bot = world.call("POST", "/telegram/send").key(world.live("telegram"));
    bot.json(&json!({"chatId": 77, "text": "x"})).send().await.refused(402, "INSUFFICIENT_CREDITS");
    world.get("/messages").await.ok();
    assert_eq!(books(&world), (0, 0, 0));
}

/// 64 concurrent callers: exactly as many succeed as the balance pays for.
#[tokio::test(flavor = "multi_thread")]
async fn exactly_as_many_as_are_paid_for() {
    let world = Arc::new(World::new().await);
    world.inbound("whatsapp", ANA, "hi").await;
    for (balance, kind, cost) in [(100, "text", 1), (101, "template", 2)] {
        world.dev("/credits", json!({"balance": balance})).await.ok();
        let mut tasks = Vec::new();
        for _ in 0..64 {
            let world = world.clone();
            let mut body = text_to(ANA, "x");
            body["type"] = json!(kind);
            body["template"] = json!({"name": "hello_again", "language": {"code": "en"}});
            tasks.push(tokio::spawn(async move {
                let mut paid = 0;
                for _ in 0..4 {
                    let answer = world.post("/messages/send", body.clone()).await;
                    if answer.status == 200 {
                        paid += 1;
                    } else {
                        answer.refused(402, "INSUFFICIENT_CREDITS");
                    }
                }
                paid
            }));
        }
        let mut paid = 0;
        for task in tasks {
            paid += task.await.expect("no panic");
        }
        assert_eq!(paid, balance / cost);
        assert_eq!(books(&world), (balance % cost, balance % cost, 0));
    }
    assert_eq!(world.outbound().await.len(), 150);
}
