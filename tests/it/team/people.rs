//! People, roles, tokens, sessions and the keys of a person.

use super::*;

#[tokio::test]
async fn token_is_exchanged_once_for_session_and_keys() {
    let team = Team::start().await;
    let added = team.add("Ana", Role::Agent).await;
    let token = added.token.expose().to_owned();
    assert!(token.starts_with("desk_"), "{token}");
    let body = team.exchange(&token).await.ok();
    assert_eq!(body["person"]["name"], "Ana");
    assert_eq!(body["person"]["role"], "agent");
    let channels: Vec<_> = body["channels"]
        .as_array()
        .expect("channels")
        .iter()
        .map(|channel| text(&channel["channel"]))
        .collect();
    assert_eq!(channels, ["email", "telegram", "voip", "whatsapp"]);
    team.exchange(&token).await.refused(401, "INVALID_KEY");
    for wrong in ["desk_x", "session_x", "svc_live_x", " "] {
        let answer = team.exchange(wrong).await;
        assert!(matches!(answer.status, 400 | 401), "{wrong}: {}", answer.body);
    }
    team.shutdown().await;
}

#[tokio::test]
async fn unused_token_lapses_after_a_week() {
    let team = Team::start().await;
    let added = team.add("Ana", Role::Agent).await;
    team.advance(7 * 24 * 3600 + 1).await;
    team.exchange(added.token.expose()).await.refused(401, "INVALID_KEY");
    let again = team.add("Ana", Role::Agent).await;
    assert_eq!(again.person.id, added.person.id, "a known name gets another token");
    team.shutdown().await;
}

#[tokio::test]
async fn session_says_who_asks_and_keys_open_their_channel() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Lead).await;
    let body = team.get(&ana, "/desk/v1").await.ok();
    assert_eq!(body["person"], json!({"id": ana.id(), "name": "Ana", "role": "lead"}));
    assert!(body["features"].as_array().expect("a list").contains(&json!("team")), "{body}");
    for (channel, key) in &ana.keys {
        let account = team.call(key, "GET", "/v1/account", Value::Null).await.ok();
        assert_eq!(
            account["assistant"]["platform"].as_str().map(str::to_lowercase).as_deref(),
            Some(&**channel)
        );
    }
    // A session is no key of the interface, and a key is no session.
    team.get(&ana, "/v1/account").await.refused(401, "INVALID_KEY");
    team.call(ana.key("whatsapp"), "DELETE", "/desk/v1/sign-in", Value::Null).await.refused(403, "FORBIDDEN");
    team.shutdown().await;
}

#[tokio::test]
async fn signing_out_ends_session_and_keys() {
    let team = Team::start().await;
    let (ana, other) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ana", Role::Agent).await);
    assert_eq!(ana.id(), other.id());
    team.call(&ana.session, "DELETE", "/desk/v1/sign-in", Value::Null).await.ok();
    team.get(&ana, "/desk/v1").await.refused(401, "REVOKED_KEY");
    team.call(ana.key("telegram"), "GET", "/v1/account", Value::Null).await.refused(401, "REVOKED_KEY");
    // Her other desk goes on.
    team.get(&other, "/desk/v1").await.ok();
    team.call(other.key("telegram"), "GET", "/v1/account", Value::Null).await.ok();
    team.shutdown().await;
}

#[tokio::test]
async fn removed_person_is_refused_everywhere() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let unused = team.add("Ana", Role::Agent).await;
    team.add("Zoe", Role::Agent).await;
    let people = team.admin.people().await.expect("read");
    let joined: Vec<_> = people.iter().map(|line| (line.person.name.as_str(), line.has_joined)).collect();
    assert_eq!(joined, [("Ana", true), ("Ben", true), ("Zoe", false)]);
    team.admin.remove_person("ana", team.clock.now()).await.expect("removed");
    team.get(&ana, "/desk/v1").await.refused(401, "REVOKED_KEY");
    for (_, key) in &ana.keys {
        team.call(key, "GET", "/v1/account", Value::Null).await.refused(401, "REVOKED_KEY");
    }
    team.exchange(unused.token.expose()).await.refused(401, "INVALID_KEY");
    team.get(&ben, "/desk/v1").await.ok();
    let names: Vec<_> =
        team.admin.people().await.expect("read").into_iter().map(|line| line.person.name).collect();
    assert_eq!(names, ["Ben", "Zoe"]);
    // The name is free again, for another person.
    assert_ne!(team.sign_in("Ana", Role::Agent).await.id(), ana.id());
    team.shutdown().await;
}

#[tokio::test]
async fn viewer_reads_and_changes_nothing() {
    let team = Team::start().await;
    let eve = team.sign_in("Eve", Role::Viewer).await;
    team.inbound("whatsapp", "+34600111222", "Hola").await;
    let key = eve.key("whatsapp");
    team.call(key, "GET", "/v1/conversations", Value::Null).await.ok();
    let body = json!({"to": "+34600111222", "type": "text", "text": {"body": "x"}});
    team.call(key, "POST", "/v1/messages/send", body.clone()).await.refused(403, "FORBIDDEN");
    let told = team.call(key, "GET", "/desk/v1", Value::Null).await.ok();
    assert!(text(&told["writesRefused"]).contains("a viewer cannot change anything"), "{told}");
    // A role counts from the next request.
    team.admin.set_person_role("Eve", Role::Agent, team.clock.now()).await.expect("changed");
    let told = team.call(key, "GET", "/desk/v1", Value::Null).await.ok();
    assert_eq!(told.get("writesRefused"), None, "{told}");
    team.call(key, "POST", "/v1/messages/send", body).await.ok();
    team.admin.set_person_role("Eve", Role::Viewer, team.clock.now()).await.expect("changed");
    team.call(&eve.session, "DELETE", "/desk/v1/sign-in", Value::Null).await.ok();
    team.shutdown().await;
}

#[tokio::test]
async fn names_are_checked_and_people_are_counted() {
    let team = Team::start().await;
    for name in ["", " ", "a@b", "A\u{202e}na", &"x".repeat(65)] {
        let refused = team.admin.add_person(name, None, team.clock.now()).await;
        assert!(refused.is_err_and(|error| error.to_string().contains("is not a valid name")), "{name:?}");
    }
    for number in 0..200 {
        team.add(&format!("Person {number}"), Role::Agent).await;
    }
    let refused = team.admin.add_person("One more", None, team.clock.now()).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("200 people already")));
    team.shutdown().await;
}

#[tokio::test]
async fn people_are_listed_with_all_that_each_has() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Viewer).await);
    let chat = team.inbound("whatsapp", "+34600111222", "Hola").await;
    let thread = team.inbound("email", "maria@mail.example", "Hello").await;
    team.advance(1).await;
    for id in [&chat, &thread] {
        let path = format!("/desk/v1/conversations/{id}/claim");
        team.call(&ana.session, "PUT", &path, json!({})).await.ok();
        team.advance(1).await;
    }
    let list = team.get(&ben, "/desk/v1/people").await.ok();
    let people = list["data"].as_array().expect("a list");
    assert_eq!(people.len(), 2, "{list}");
    assert_eq!((&people[0]["name"], &people[0]["role"]), (&json!("Ana"), &json!("agent")));
    assert_eq!(people[0]["claimCount"], 2, "{list}");
    let held = |index: usize, field: &str| people[0]["claims"][index][field].clone();
    assert_eq!((held(0, "conversation"), held(0, "title")), (json!(thread), json!("maria@mail.example")));
    assert_eq!((held(1, "conversation"), held(1, "title")), (json!(chat), json!("+34600111222")));
    assert_eq!((&people[1]["claimCount"], &people[1]["claims"]), (&json!(0), &json!([])));
    assert!(people[0]["seenAt"].is_string(), "{list}");
    // Of a team, only the number beyond a hundred.
    for number in 0..101 {
        let id = team.inbound("whatsapp", &format!("+34600{number:06}"), "Hola").await;
        team.call(&ana.session, "PUT", &format!("/desk/v1/conversations/{id}/claim"), json!({})).await.ok();
    }
    let list = team.get(&ana, "/desk/v1/people").await.ok();
    assert_eq!(list["data"][0]["claimCount"], 103);
    assert_eq!(list["data"][0]["claims"].as_array().map(Vec::len), Some(100));
    team.admin.remove_person("Ana", team.clock.now()).await.expect("removed");
    let list = team.get(&ben, "/desk/v1/people").await.ok();
    assert_eq!(list["data"].as_array().map(Vec::len), Some(1), "{list}");
    team.shutdown().await;
}
