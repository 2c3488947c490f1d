//! The service refuses an answer that crosses a colleague's, on both engines and on every channel with histories.

use reqwest::header::HeaderMap;

use super::*;

/// A customer on a channel, and how one answers there.
struct Place {
    channel: &'static str,
    from: &'static str,
}

const PLACES: [Place; 3] = [
    Place { channel: "whatsapp", from: CUSTOMER },
    Place { channel: "telegram", from: "4711" },
    Place { channel: "email", from: "maria@mail.example" },
];

impl Place {
    fn send(&self, thread: &str, words: &str) -> (&'static str, Value) {
        match self.channel {
            "whatsapp" => {
                ("/v1/messages/send", json!({"to": self.from, "type": "text", "text": {"body": words}}))
            }
            "telegram" => ("/v1/telegram/send", json!({"chatId": self.from, "text": words})),
            _ => {
                let body = json!({"to": [self.from], "subject": "Re", "text": words, "threadId": thread});
                ("/v1/email/send", body)
            }
        }
    }

    /// Ids and texts of the conversation, oldest first.
    async fn messages(&self, team: &Team, colleague: &Colleague, id: &str) -> Vec<(String, String)> {
        let path = match self.channel {
            "whatsapp" => format!("/v1/conversations/{id}/messages"),
            "telegram" => format!("/v1/telegram/conversations/{id}/messages"),
            _ => format!("/v1/email/threads/{id}"),
        };
        let body = team.call(colleague.key(self.channel), "GET", &path, Value::Null).await.ok();
        let (list, words) = match self.channel {
            "email" => (&body["messages"], "text"),
            _ => (&body["data"], "content"),
        };
        let mut found: Vec<(String, String, String)> = list
            .as_array()
            .unwrap_or_else(|| panic!("{body}"))
            .iter()
            .map(|item| {
                let at = item["createdAt"].as_str().unwrap_or_default().to_owned();
                (at, text(&item["id"]), item[words].as_str().unwrap_or_default().to_owned())
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, id, words)| (id, words)).collect()
    }
}

/// Sends an answer whose writer has seen a message; returns the answer of the service.
async fn answer(
    team: &Team,
    key: &str,
    (path, body): (&str, Value),
    (seen, idempotency_key): (Option<&str>, &str),
) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert("idempotency-key", idempotency_key.parse().expect("a header"));
    headers.insert("content-type", "application/json".parse().expect("a header"));
    if let Some(seen) = seen {
        headers.insert("frontdesk-seen", seen.parse().expect("a header"));
    }
    let request = team.http.post(format!("{}{path}", team.base_url)).headers(headers).bearer_auth(key);
    let response = request.body(body.to_string()).send().await.expect("an answer");
    let status = response.status().as_u16();
    let body = serde_json::from_slice(&response.bytes().await.expect("a body")).unwrap_or(Value::Null);
    Answer { status, body }
}

async fn cross_on_every_channel(team: Team) {
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    for place in &PLACES {
        let id = team.inbound(place.channel, place.from, "Hello?").await;
        let first = place.messages(&team, &ana, &id).await.pop().map(|(message, _)| message);
        let Some(first) = first else { panic!("{}: no message", place.channel) };
        let (of_ana, of_ben) = (ana.key(place.channel), ben.key(place.channel));
        team.advance(1).await;
        let send = |words: &str| place.send(&id, words);
        answer(&team, of_ana, send("From Ana"), (Some(&first), "a1")).await.ok();
        team.advance(1).await;
        // One's own answers never cross.
        answer(&team, of_ana, send("More from Ana"), (Some(&first), "a2")).await.ok();
        let refused = answer(&team, of_ben, send("From Ben"), (Some(&first), "b1")).await;
        let words = refused.refused(409, "ANSWERED");
        assert!(words.contains("Ana answered"), "{}: {words}", place.channel);
        let listed = place.messages(&team, &ben, &id).await;
        let newest = listed.iter().find(|(_, words)| words == "More from Ana");
        let newest = newest.unwrap_or_else(|| panic!("{}: {listed:?}", place.channel)).0.clone();
        assert!(!listed.iter().any(|(_, words)| words == "From Ben"), "{listed:?}");
        // A refusal is not stored under the key: the request is accepted once Ben has seen the answer.
        answer(&team, of_ben, send("From Ben"), (Some(&newest), "b1")).await.ok();
        // A repeat is answered as before, whatever was seen since.
        answer(&team, of_ben, send("From Ben"), (Some(&first), "b1")).await.ok();
        // Without a message that was seen nothing is compared.
        team.advance(1).await;
        answer(&team, of_ana, send("Again"), (None, "a3")).await.ok();
        answer(&team, of_ana, send("And again"), (Some("msg_of_nobody"), "a4")).await.ok();
    }
    team.shutdown().await;
}

#[tokio::test]
async fn answer_behind_an_unseen_one_is_refused() {
    cross_on_every_channel(Team::start().await).await;
    let Some(server) = cluster::server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    cross_on_every_channel(Team::at(&cluster::database(server).await, folder.path()).await).await;
}

/// The interface has no history of SMS, so the writer names one of their own.
#[tokio::test]
async fn sms_behind_an_unseen_one_is_refused() {
    let team = Team::start().await;
    let (ana, ben) = (team.sign_in("Ana", Role::Agent).await, team.sign_in("Ben", Role::Agent).await);
    let send = |words: &str| ("/v1/voip/sms", json!({"to": CUSTOMER, "body": words}));
    let (of_ana, of_ben) = (ana.key("voip"), ben.key("voip"));
    let first = answer(&team, of_ana, send("From Ana"), (None, "a1")).await.ok();
    let first = text(&first["messageId"]);
    team.advance(1).await;
    answer(&team, of_ana, send("More from Ana"), (Some(&first), "a2")).await.ok();
    let refused = answer(&team, of_ben, send("From Ben"), (Some(&first), "b1")).await;
    let words = refused.refused(409, "ANSWERED");
    assert!(words.contains("Ana answered"), "{words}");
    answer(&team, of_ben, send("From Ben"), (None, "b1")).await.ok();
    team.shutdown().await;
}

#[tokio::test]
async fn answers_sent_at_once_are_accepted_once() {
    let mut teams = vec![Team::start().await];
    let folder = tempfile::tempdir().expect("a folder");
    if let Some(server) = cluster::server() {
        teams.push(Team::at(&cluster::database(server).await, folder.path()).await);
    }
    for team in teams {
        let mut colleagues = Vec::new();
        for name in ["Ana", "Ben", "Cleo", "Dana", "Eve"] {
            colleagues.push(team.sign_in(name, Role::Agent).await);
        }
        let place = &PLACES[0];
        for round in 0..20 {
            let id = team.inbound(place.channel, &format!("+3460{round:03}2222"), "Hello?").await;
            let place = Place { channel: place.channel, from: format!("+3460{round:03}2222").leak() };
            let first = place.messages(&team, &colleagues[0], &id).await.remove(0).0;
            team.advance(1).await;
            let sends = colleagues.iter().map(|colleague| {
                let key = colleague.key(place.channel);
                let words = format!("From {}", colleague.id());
                let request = place.send(&id, &words);
                let (team, first) = (&team, first.as_str());
                async move { answer(team, key, request, (Some(first), &format!("{round}"))).await }
            });
            let answers = futures_util::future::join_all(sends).await;
            let accepted = answers.iter().filter(|answer| answer.status == 200).count();
            assert_eq!(accepted, 1, "round {round}");
            for answer in answers.iter().filter(|answer| answer.status != 200) {
                answer.refused(409, "ANSWERED");
            }
        }
        team.shutdown().await;
    }
}
