//! Pages during writes, and invalid cursors.

use std::collections::HashSet;

use super::*;

/// Walks a list to its end; runs `between` before each page.
async fn walk<F>(world: &World, path: &str, limit: usize, mut between: impl FnMut(usize) -> F) -> Vec<String>
where
    F: Future<Output = ()>,
{
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    for page in 0..1_000 {
        between(page).await;
        let separator = if path.contains('?') { '&' } else { '?' };
        let rest = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let body = world.get(&format!("{path}{separator}limit={limit}{rest}")).await.ok();
        let items = ids(&body);
        assert!(items.len() <= limit);
        seen.extend(items);
        cursor = body["nextCursor"].as_str().map(str::to_owned);
        assert_eq!(body["hasMore"], cursor.is_some());
        if cursor.is_none() {
            return seen;
        }
    }
    panic!("the walk does not end");
}

#[tokio::test]
async fn every_page_size_tells_the_same_list() {
    let world = World::new().await;
    let mut written = Vec::new();
    for number in 0..23 {
        written.push(world.inbound("whatsapp", ANA, &format!("{number}")).await.1);
    }
    written.reverse();
    for limit in [1, 2, 7, 22, 23, 24, 100] {
        assert_eq!(walk(&world, "/messages", limit, |_| async {}).await, written, "{limit}");
    }
    let whole = world.get("/messages?limit=23").await.ok();
    assert_eq!((&whole["hasMore"], &whole["nextCursor"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn what_nobody_touches_is_walked_exactly_once() {
    let world = World::new().await;
    let peer = |number: usize| format!("+3460011{number:04}");
    let mut conversations = Vec::new();
    let mut messages = Vec::new();
    for number in 1000..1060 {
        let (conversation, message) = world.inbound("whatsapp", &peer(number), "hello").await;
        conversations.push(conversation);
        messages.push(message);
    }
    // During the walk, some rows change and new ones appear.
    let touched: Vec<usize> = (0..60).filter(|number| number % 4 == 1).collect();
    let write = |page: usize| {
        let world = &world;
        let again = touched.get(page).map(|number| peer(1000 + number));
        async move {
            if let Some(again) = again {
                world.inbound("whatsapp", &again, "again").await;
                world.inbound("whatsapp", &peer(2000 + page), "new").await;
            }
        }
    };
    let seen = walk(&world, "/conversations", 5, write).await;
    let unique: HashSet<&String> = seen.iter().collect();
    assert_eq!(unique.len(), seen.len(), "nothing is told twice");
    for (index, id) in conversations.iter().enumerate() {
        let missed = !unique.contains(id);
        assert!(!missed || touched.contains(&index), "conversation {index} was missed");
    }
    // Messages keep their position: each appears once.
    let write = |page: usize| {
        let world = &world;
        async move { drop(world.inbound("whatsapp", &peer(1000 + page), "more").await) }
    };
    let seen = walk(&world, "/messages?direction=inbound", 7, write).await;
    let mut wanted: Vec<&String> = messages.iter().rev().collect();
    wanted.retain(|entry| seen.contains(entry));
    assert_eq!(wanted.len(), messages.len());
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), seen.len());
}

#[tokio::test]
async fn a_cursor_opens_only_the_list_it_was_given_for() {
    let world = World::new().await;
    let (ana, _) = world.inbound("whatsapp", ANA, "1").await;
    let (bea, _) = world.inbound("whatsapp", "+34600333444", "1").await;
    for number in 2..5 {
        world.inbound("whatsapp", ANA, &number.to_string()).await;
        world.inbound("whatsapp", "+34600333444", &number.to_string()).await;
        world.inbound("telegram", "77", &number.to_string()).await;
        world.inbound("telegram", "78", &number.to_string()).await;
    }
    let lists = [
        "/messages?limit=1".to_owned(),
        "/messages?limit=1&direction=inbound".to_owned(),
        "/messages?limit=1&status=received".to_owned(),
        format!("/messages?limit=1&conversationId={ana}"),
        format!("/conversations/{ana}/messages?limit=1"),
        format!("/conversations/{bea}/messages?limit=1"),
        "/conversations?limit=1".to_owned(),
        "/conversations?limit=1&status=open".to_owned(),
        "/telegram/conversations?limit=1".to_owned(),
    ];
    let fetch = |path: String| {
        let channel = if path.starts_with("/telegram") { "telegram" } else { "whatsapp" };
        world.call("GET", &path).key(world.live(channel)).send()
    };
    for (own, list) in lists.iter().enumerate() {
        let body = fetch(list.clone()).await.ok();
        let Some(cursor) = body["nextCursor"].as_str() else { continue };
        for (other, path) in lists.iter().enumerate() {
            let answer = fetch(format!("{path}&cursor={cursor}")).await;
            // The page size is not part of the cursor.
            if own == other {
                answer.ok();
            } else {
                answer.refused(400, "VALIDATION_ERROR");
            }
        }
        let again = fetch(format!("{}&cursor={cursor}", list.replace("limit=1", "limit=100"))).await;
        again.ok();
        for index in 0..cursor.len() {
            let mut forged = cursor.to_owned().into_bytes();
            forged[index] = if forged[index] == b'Q' { b'R' } else { b'Q' };
            let forged = String::from_utf8(forged).expect("ASCII");
            if forged != cursor && index % 7 == 0 {
                fetch(format!("{list}&cursor={forged}")).await.refused(400, "VALIDATION_ERROR");
            }
        }
        for forged in [&cursor[1..], &cursor[..cursor.len() - 1], "", "null", "%00", &"A".repeat(4000)] {
            fetch(format!("{list}&cursor={forged}")).await.refused(400, "VALIDATION_ERROR");
        }
    }
    // Cursors of another service have another secret.
    let other = World::new().await;
    for number in 0..3 {
        other.inbound("whatsapp", ANA, &number.to_string()).await;
    }
    let foreign = other.get("/messages?limit=1").await.ok();
    let cursor = foreign["nextCursor"].as_str().expect("a cursor");
    world.get(&format!("/messages?limit=1&cursor={cursor}")).await.refused(400, "VALIDATION_ERROR");
    // Cursors survive a restart.
    let body = world.get("/messages?limit=1").await.ok();
    let cursor = body["nextCursor"].as_str().expect("a cursor").to_owned();
    let world = world.restarted(|options| options.unlimited = true).await;
    world.get(&format!("/messages?limit=1&cursor={cursor}")).await.ok();
}
