//! Further kinds of events in the random world of a bot: albums, a person who blocks it and comes back, a
//! business that connects it again and again, and messages that its customer withdraws.

use frontdesk::service::DatabaseLocation;
use serde_json::json;

use super::blocking::{business_message, connection_of, membership, private_chat};
use super::bot_server::BotServer;
use crate::postgres::cluster;
use crate::waiting::until;

/// Chat of the customer who sends albums.
const ALBUMS: i64 = 900;
const OWNER: i64 = 901;

pub(super) struct BotEvents<'a> {
    bot: &'a BotServer,
    rounds: usize,
}

/// Id of the business's connection in a round.
fn connection(round: usize) -> String {
    format!("Round{round}")
}

impl<'a> BotEvents<'a> {
    pub(super) fn new(bot: &'a BotServer) -> Self {
        bot.put_file("side", b"\x89PNG\r\n\x1a\nsmall");
        Self { bot, rounds: 0 }
    }

    pub(super) fn round_count(&self) -> usize {
        self.rounds
    }

    /// Number of messages that customers have written, without those about blocking.
    pub(super) fn messages(&self) -> usize {
        4 * self.rounds
    }

    /// A customer sends an album, another one blocks the bot and comes back. The business drops its connection and
    /// renews it, and at once its customer writes twice and withdraws the second message.
    pub(super) fn happen(&mut self) {
        self.rounds += 1;
        let round = self.rounds;
        for side in ["front", "back"] {
            let photo = json!([{ "file_id": "side" }]);
            let album = format!("album-{round}");
            let caption = format!("{side} {round}");
            self.bot.sends(ALBUMS, json!({"photo": photo, "caption": caption, "media_group_id": album}));
        }
        self.bot.update(membership(&private_chat(), "member", "kicked"));
        self.bot.update(membership(&private_chat(), "kicked", "member"));
        if round > 1 {
            self.bot.update(connection_of(OWNER, &connection(round - 1), false));
        }
        let id = connection(round);
        self.bot.update(connection_of(OWNER, &id, true));
        let first = 10_000 + 2 * i64::try_from(round).expect("few");
        self.bot.update(business_message(&id, first, &format!("business {round}")));
        self.bot.update(business_message(&id, first + 1, &format!("mistake {round}")));
        self.bot.update(json!({"deleted_business_messages": {
            "business_connection_id": id, "chat": private_chat(), "message_ids": [first + 1],
        }}));
    }
}

/// Waits until the messages of all rounds are in the database: each once, those of the business in one
/// conversation and in their order.
pub(super) fn check(place: &DatabaseLocation, rounds: usize) {
    let left = ["77|[blocked this bot]", "77|[unblocked this bot]"];
    let left: Vec<String> = (0..rounds).flat_map(|_| left.map(str::to_owned)).collect();
    let peer = format!("77/business:{}", connection(rounds));
    let written = |round| [format!("{peer}|business {round}"), format!("{peer}|[withdrawn]")];
    let wanted: Vec<String> = (1..=rounds).flat_map(written).collect();
    for (peers, wanted) in [("= '77'", left), ("LIKE '%/business:%'", wanted)] {
        let sql = format!(
            "SELECT peer || '|' || messages.content
             FROM messages JOIN conversations ON conversations.id = messages.conversation
             WHERE peer {peers} ORDER BY coalesce(messages.sent_at, messages.created_at), messages.id"
        );
        until("what a customer did", || {
            let found = cluster::column(place, &sql);
            if found == wanted { Ok(()) } else { Err(format!("{peers}: {found:?}")) }
        });
    }
    for round in 1..=rounds {
        let sql = format!(
            "SELECT content FROM messages WHERE extras LIKE '%\"album\":\"album-{round}\"%' ORDER BY content"
        );
        until("an album", || {
            let found = cluster::column(place, &sql);
            // The words of a file that is not fetched yet follow.
            let sides = [format!("back {round}"), format!("front {round}")];
            let is_whole =
                found.len() == 2 && found.iter().zip(&sides).all(|(text, side)| text.starts_with(side));
            if is_whole { Ok(()) } else { Err(format!("{round}: {found:?}")) }
        });
    }
}
