//! Statistics by person: what is counted, for whom, and in which period.

use frontdesk::model::time::{DAY, Timestamp};

use super::*;
use crate::binary::Binary;

const CUSTOMER: &str = "+34600111222";
const PATH: &str = "/desk/v1/stats";

async fn claim(team: &Team, colleague: &Colleague, id: &str, body: Value) {
    let path = format!("/desk/v1/conversations/{id}/claim");
    team.call(&colleague.session, "PUT", &path, body).await.ok();
}

async fn answer(team: &Team, colleague: &Colleague, text: &str) {
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": text}});
    team.call(colleague.key("whatsapp"), "POST", "/v1/messages/send", body).await.ok();
}

async fn close(team: &Team, colleague: &Colleague, id: &str) {
    let path = format!("/v1/conversations/{id}/close");
    team.call(colleague.key("whatsapp"), "POST", &path, Value::Null).await.ok();
}

/// The numbers of a person, without what identifies them.
fn numbers(stats: &Value, name: &str) -> Value {
    let people = stats["data"].as_array().expect("a list");
    let person = people.iter().find(|person| person["name"] == name);
    let mut person = person.unwrap_or_else(|| panic!("{name} is missing: {stats}")).clone();
    for field in ["id", "name", "role", "removed"] {
        person.as_object_mut().expect("an object").remove(field);
    }
    person
}

fn no_numbers() -> Value {
    json!({"taken": 0, "answers": 0, "firstAnswer": {"count": 0, "median": null, "p90": null},
           "done": 0, "handedBack": 0, "claimCount": 0})
}

#[tokio::test]
async fn work_of_two_people_is_counted_exactly() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Lead).await, team.sign_in("Ben", Role::Agent).await);
    let lea = team.sign_in("Lea", Role::Viewer).await;
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let bot = team.inbound("telegram", "4711", "Hi").await;
    let mail = team.inbound("email", "maria@mail.example", "Hello").await;
    team.advance(60).await;
    claim(&team, &ana, &chat, json!({})).await;
    claim(&team, &ana, &chat, json!({})).await;
    answer(&team, &ana, "Hi").await;
    answer(&team, &ana, "How can I help?").await;
    team.inbound("whatsapp", CUSTOMER, "Where is it?").await;
    team.advance(20).await;
    team.inbound("whatsapp", CUSTOMER, "Hello?").await;
    team.advance(100).await;
    answer(&team, &ben, "On its way").await;
    claim(&team, &ben, &bot, json!({})).await;
    let body = json!({"chatId": "4711", "text": "Hello"});
    team.call(ben.key("telegram"), "POST", "/v1/telegram/send", body).await.ok();
    let body = json!({"to": ["maria@mail.example"], "subject": "Re: Hello", "text": "Hi", "threadId": mail});
    team.call(ana.key("email"), "POST", "/v1/email/send", body).await.ok();
    claim(&team, &ana, &mail, json!({})).await;
    claim(&team, &ana, &mail, json!({"person": "Ben"})).await;
    let stats = team.get(&lea, PATH).await.ok();
    assert_eq!(numbers(&stats, "Ana")["claimCount"], 1, "{stats}");
    // The second time changes nothing and is not counted.
    for _ in 0..2 {
        let path = format!("/v1/conversations/{chat}");
        team.call(ana.key("whatsapp"), "PATCH", &path, json!({"automationEnabled": true})).await.ok();
        close(&team, &ana, &chat).await;
        let path = format!("/desk/v1/conversations/{bot}/automation");
        team.call(ben.key("telegram"), "PUT", &path, json!({"enabled": true})).await.ok();
        let path = format!("/v1/email/threads/{mail}");
        team.call(ben.key("email"), "PATCH", &path, json!({"archived": true})).await.ok();
    }
    let stats = team.get(&lea, PATH).await.ok();
    let expected = json!({"taken": 2, "answers": 3, "firstAnswer": {"count": 2, "median": 60, "p90": 180},
                          "done": 1, "handedBack": 1, "claimCount": 0});
    assert_eq!(numbers(&stats, "Ana"), expected);
    let expected = json!({"taken": 2, "answers": 2, "firstAnswer": {"count": 2, "median": 120, "p90": 180},
                          "done": 2, "handedBack": 1, "claimCount": 2});
    assert_eq!(numbers(&stats, "Ben"), expected);
    assert_eq!(numbers(&stats, "Lea"), no_numbers());
    let names: Vec<&Value> =
        stats["data"].as_array().expect("a list").iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["Ana", "Ben", "Lea"]);
    assert_eq!((&stats["data"][0]["role"], &stats["data"][2]["role"]), (&json!("lead"), &json!("viewer")));
    team.shutdown().await;
}

#[tokio::test]
async fn broadcasts_reactions_and_plain_keys_are_nobodys_answers() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let keys = &team.running.as_ref().expect("it runs").keys;
    let is_plain = |text: &str| text.starts_with("svc_live_");
    let plain = keys.iter().find(|key| key.channel == "whatsapp" && is_plain(key.key.expose()));
    let plain = plain.expect("a key").key.expose().to_owned();
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let list =
        team.call(&plain, "GET", &format!("/v1/conversations/{chat}/messages"), Value::Null).await.ok();
    let message = text(&list["data"][0]["id"]);
    let path = format!("/v1/messages/{message}/react");
    team.call(ana.key("whatsapp"), "POST", &path, json!({"emoji": "👍"})).await.ok();
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "From a program"}});
    team.call(&plain, "POST", "/v1/messages/send", body).await.ok();
    assert_eq!(numbers(&team.get(&ana, PATH).await.ok(), "Ana"), no_numbers());
    // The program has answered the customer: nobody waits for Ana.
    answer(&team, &ana, "Anything else?").await;
    let stats = team.get(&ana, PATH).await.ok();
    let ana = numbers(&stats, "Ana");
    assert_eq!((&ana["answers"], &ana["firstAnswer"]["count"]), (&json!(1), &json!(0)), "{stats}");
    team.shutdown().await;
}

#[tokio::test]
async fn period_is_bounded_and_half_open() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let now = async || text(&team.get(&ana, PATH).await.ok()["to"]);
    let read = async |from: &str, to: &str| {
        let stats = team.get(&ana, &format!("{PATH}?from={from}&to={to}")).await.ok();
        assert_eq!((&stats["from"], &stats["to"]), (&json!(from), &json!(to)));
        numbers(&stats, "Ana")["taken"].clone()
    };
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let begin = now().await;
    claim(&team, &ana, &chat, json!({})).await;
    team.advance(60).await;
    let middle = now().await;
    let other = team.inbound("telegram", "4711", "Hi").await;
    claim(&team, &ana, &other, json!({})).await;
    team.advance(60).await;
    let end = now().await;
    assert_eq!(read(&begin, &end).await, 2);
    assert_eq!(read(&begin, &middle).await, 1, "the end is not part of a period");
    assert_eq!(read(&middle, &end).await, 1, "the begin is");
    // A conversation counts once, however often it is taken.
    close(&team, &ana, &chat).await;
    claim(&team, &ana, &chat, json!({})).await;
    assert_eq!(numbers(&team.get(&ana, PATH).await.ok(), "Ana")["taken"], 2);
    team.advance(8 * 24 * 3600).await;
    let stats = team.get(&ana, PATH).await.ok();
    assert_eq!(numbers(&stats, "Ana")["taken"], 0, "the last 7 days by default");
    assert_eq!(numbers(&stats, "Ana")["claimCount"], 2, "now, whatever the period");
    assert_eq!(read(&begin, &end).await, 2);
    let day = |days: i64| Timestamp::parse(&begin).expect("a time").plus(days * DAY).to_string();
    assert_eq!(read(&day(-84), &day(8)).await, 2, "92 days");
    let refused = [
        ("from=yesterday".to_owned(), "from must be a time"),
        (format!("to={}", "x".repeat(50)), "to must be a time"),
        (format!("from={end}&to={begin}"), "before to"),
        (format!("from={end}&to={end}"), "before to"),
        (format!("from={}&to={}", day(-85), day(8)), "92 days"),
        (format!("from={}&to={}", day(-400), day(-390)), "400 days"),
    ];
    for (query, words) in refused {
        let answer = team.get(&ana, &format!("{PATH}?{query}")).await;
        assert!(answer.refused(400, "VALIDATION_ERROR").contains(words), "{query}: {}", answer.body);
    }
    team.call("", "GET", PATH, Value::Null).await.refused(401, "INVALID_AUTH");
    team.call(ana.key("whatsapp"), "GET", PATH, Value::Null).await.refused(403, "FORBIDDEN");
    team.shutdown().await;
}

#[tokio::test]
async fn numbers_of_removed_people_and_erased_customers_stay() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    team.add("Cid", Role::Agent).await;
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    team.advance(60).await;
    claim(&team, &ana, &chat, json!({})).await;
    answer(&team, &ana, "Hi").await;
    for name in ["Ana", "Cid"] {
        team.admin.remove_person(name, team.clock.now()).await.expect("removed");
    }
    team.add("Ana", Role::Agent).await;
    team.admin.erase(CUSTOMER, Timestamp::default()).await.expect("erased");
    let stats = team.get(&ben, PATH).await.ok();
    let people = stats["data"].as_array().expect("a list").iter();
    let people: Vec<_> = people.map(|person| (text(&person["name"]), person["removed"] == true)).collect();
    let expected = [("Ana", false), ("Ben", false), ("Ana", true)];
    assert_eq!(people, expected.map(|(name, removed)| (name.to_owned(), removed)), "{stats}");
    let former = &stats["data"][2];
    assert_eq!((&former["id"], &former["claimCount"]), (&json!(ana.id()), &json!(0)));
    assert_eq!((&former["taken"], &former["answers"]), (&json!(1), &json!(1)));
    assert_eq!(former["firstAnswer"], json!({"count": 1, "median": 60, "p90": 60}));
    let written = cluster::column(team.place(), "SELECT id || conversation || person || kind FROM team_work");
    assert!(!written.join(" ").contains("600111222"), "{written:?}");
    team.shutdown().await;
}

#[tokio::test]
async fn teams_of_other_workspaces_are_not_counted() {
    let team = Team::start().await;
    let ana = team.sign_in("Ana", Role::Agent).await;
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    claim(&team, &ana, &chat, json!({})).await;
    let (other, _) =
        team.admin.add_workspace(Some("Other".to_owned()), team.clock.now()).await.expect("added");
    let admin = open_admin(team.place()).await.in_workspace(Some(other));
    let token = admin.add_person("Olu", None, team.clock.now()).await.expect("added").token;
    let session = text(&team.exchange(token.expose()).await.ok()["session"]);
    let stats = team.call(&session, "GET", PATH, Value::Null).await.ok();
    assert_eq!(stats["data"].as_array().map(Vec::len), Some(1), "{stats}");
    assert_eq!(numbers(&stats, "Olu"), no_numbers());
    admin.close();
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_shows_the_numbers_of_the_service() {
    let team = Team::start().await;
    let ben = team.sign_in("Ben", Role::Agent).await;
    let chat = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    team.advance(60).await;
    claim(&team, &ben, &chat, json!({})).await;
    answer(&team, &ben, "Hi").await;
    close(&team, &ben, &chat).await;
    let token = team.add("Ana", Role::Viewer).await.token;
    let url = team.base_url.clone();
    let running = tokio::task::spawn_blocking(move || {
        let binary = Binary::new();
        binary.configure(
            "[[channel]]\nname = \"Shop\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"NO_KEY\"\n",
        );
        let alone = binary.run(&["stats", "--by-person"], "");
        assert_eq!(alone.code, Some(1), "{}", alone.out);
        assert!(alone.err.contains("numbers by person need the service"), "{}", alone.err);
        let joined = binary.run(&["join", &url], token.expose());
        assert_eq!(joined.code, Some(0), "{}", joined.err);
        let both = binary.run(&["stats", "--by-person", "--channel", "Shop"], "");
        assert_eq!(both.code, Some(2), "{}", both.out);
        let since = ["stats", "--by-person", "--since", "2026-11-15"];
        (binary.run(&since, ""), binary.run(&[&since[..], &["--json"]].concat(), ""), binary)
    });
    let (lines, json, binary) = running.await.expect("no panic");
    assert_eq!((json.code, json.err.as_str()), (Some(0), ""), "{}", json.out);
    let stats: Value = serde_json::from_str(&json.out).expect("JSON");
    let expected = json!({"person": "Ben", "removed": false, "taken": 1, "answers": 1,
        "firstAnswer": {"count": 1, "median": 60, "p90": 60}, "done": 1, "handedBack": 0, "claimCount": 0});
    assert_eq!(stats["people"][1], expected, "{stats}");
    assert!(stats["since"].is_string() && stats["until"].is_string(), "{stats}");
    let row = lines.out.lines().find(|line| line.starts_with("Ben")).expect("a line");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["Ben", "1", "1m", "1m", "1", "1", "0", "0"], "{}", lines.out);
    team.shutdown().await;
    let ended = tokio::task::spawn_blocking(move || binary.run(&["stats", "--by-person"], ""));
    let ended = ended.await.expect("no panic");
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{}", ended.err);
    assert!(ended.err.contains("could not read the numbers by person"), "{}", ended.err);
}
