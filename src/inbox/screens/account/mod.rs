//! The account behind a key as cards: balance, number, what the platform says
//! of it, what the key can do, and what things cost.

pub(crate) mod spending;

use crate::context::Context;
use crate::desk::Desk;
use crate::features::credits;
use crate::features::credits::Balance;
use crate::features::credits::Credits;
use crate::screens::cards::{CardEmphasis, PageCard};
use model::account::{Account, Environment, Platform};
use model::prices::{self, Price};
use model::text::SafeText;

/// Whether a platform has something.
type Has = fn(&Platform) -> bool;

/// What a key may do, and on which platforms.
const ABILITIES: [(&str, Has); 9] = [
    ("list and read conversations", Platform::has_conversations),
    ("answer in them", Platform::has_histories),
    ("pause the AI, hand back", Platform::is_chat),
    ("close conversations, templates", Platform::can_take_over),
    ("contacts and broadcasts", Platform::has_contacts),
    ("threads of mail", |platform| matches!(platform, Platform::Email)),
    ("SMS and calls", |platform| matches!(platform, Platform::Voip)),
    ("webhooks", |platform| !matches!(platform, Platform::Web)),
    ("events of the triggers", |platform| !matches!(platform, Platform::Web)),
];

impl Credits {
    pub(crate) fn account_cards(&self, desk: &Desk, context: &Context) -> Vec<PageCard> {
        let Some(account) = &desk.tab().account else { return Vec::new() };
        let mut cards = vec![self.balance_card(account, desk, context)];
        cards.extend(self.burn_cards(account, desk, context));
        cards.extend([self.number_card(account), desk.key_card(account), self.price_card(account, desk)]);
        cards
    }

    fn balance_card(&self, account: &Account, desk: &Desk, context: &Context) -> PageCard {
        let credits = credits::credits(account.credits);
        let forecast = self.forecast(account, desk, context);
        let words = forecast.as_deref().unwrap_or("no whole day is known here yet");
        let mut card = card("balance", &credits, words);
        let state = match self.balance(desk.tab(), desk, context) {
            Balance::Fine => "pays",
            Balance::Low => "LOW",
            Balance::Empty => "EMPTY",
        };
        if state != "pays" {
            card.weight = CardEmphasis::Loud;
            card.line("state", state);
        }
        let shares = desk
            .tabs
            .iter()
            .filter(|tab| tab.account.as_ref().is_some_and(|other| credits::is_same(other, account)));
        let names: Vec<&str> = shares.map(|share| share.channel.name.as_str()).collect();
        card.line("balance", &credits);
        card.line("forecast", words);
        card.line("drawn on by", &names.join(", "));
        card.line(
            "not known",
            "what the AI's own replies cost is told nowhere; known here is what this desk sent",
        );
        card
    }

    fn number_card(&self, account: &Account) -> PageCard {
        let none = || "not told".to_owned();
        let text = |text: &Option<SafeText>| text.as_ref().map_or_else(none, ToString::to_string);
        let about = [&account.messaging_tier, &account.quality_rating];
        let mut words = vec![account.platform.label().to_owned()];
        words.extend(about.into_iter().flatten().map(ToString::to_string));
        let mut card = card("account", &text(&account.workspace_name), &words.join(" · "));
        card.line("workspace", &text(&account.workspace_name));
        card.line("assistant", &text(&account.assistant_name));
        card.line("channel", account.platform.label());
        card.line(
            "number",
            &account.number.as_ref().map_or_else(|| "none is connected".to_owned(), ToString::to_string),
        );
        card.line("tier", &text(&account.messaging_tier));
        card.line("quality", &text(&account.quality_rating));
        card.line("id", &account.id);
        card
    }

    fn price_card(&self, account: &Account, desk: &Desk) -> PageCard {
        let tab = desk.tab();
        let mut card = card("prices", "what things cost", "as the interface tells, and as it was charged");
        if account.environment == Environment::Test {
            card.line("here", "nothing: this is a TEST key");
        }
        let exactly = |number: i64| Price::exactly(number).describe();
        let template = match tab.templates.charged {
            Some(charged) => format!("{}, as last charged", exactly(charged)),
            None => format!("{}: the interface says both", tab.template_price().describe()),
        };
        let uploaded = format!(
            "{}; video {}",
            exactly(prices::UPLOADED_MEDIA_CREDITS),
            exactly(prices::UPLOADED_VIDEO_CREDITS)
        );
        let linked =
            format!("{}, any file a link of your own leads to", exactly(prices::LINKED_MEDIA_CREDITS));
        let rows = [
            ("text", exactly(prices::TEXT_CREDITS), "message"),
            ("link", linked, ""),
            ("upload", uploaded, "file"),
            ("template", template, ""),
            ("mail", exactly(prices::EMAIL_CREDITS), "mail"),
            ("SMS", format!("{}, not stated by the interface", exactly(prices::SMS_CREDITS)), "sms"),
            ("call", "by the minute; the price is not published".to_owned(), "call"),
            ("broadcast", "each recipient as a single message".to_owned(), ""),
            ("free", "reads, reactions, uploads, switches, contacts, webhooks".to_owned(), ""),
        ];
        for (label, words, action) in rows {
            let learned =
                self.charged(account, action, desk).map(|text| format!(" · charged: {text} on average"));
            card.line(label, &format!("{words}{}", learned.unwrap_or_default()));
        }
        card
    }

    /// What a kind of action was charged on average, as far as answers told.
    fn charged(&self, account: &Account, action: &str, desk: &Desk) -> Option<String> {
        let spent = self.spent_on(account, desk);
        let all = spent.iter().flat_map(|pair| pair.1).filter(|spent| spent.action == action);
        let (credits, count) = all.fold((0.0, 0u32), |(credits, count), spent| {
            (credits + spent.credits, count.saturating_add(spent.count))
        });
        (count > 0).then(|| credits::credits(credits / f64::from(count)))
    }
}

impl Desk {
    /// What the key can do: what its platform has, as far as nothing was
    /// refused.
    fn key_card(&self, account: &Account) -> PageCard {
        let tab = self.tab();
        let count = ABILITIES.iter().filter(|ability| ability.1(&account.platform)).count();
        let words = format!("may do {count} of {} things", ABILITIES.len());
        let mut card = card("key", account.environment.label(), &words);
        let test = "TEST: everything is checked, nothing is sent or charged";
        let live = "LIVE: what leaves reaches people";
        card.line("key", if account.environment == Environment::Test { test } else { live });
        if tab.channel.read_only {
            card.line("read-only", "nothing is changed from here");
        }
        let all = |can: bool| {
            let some = ABILITIES.iter().filter(|ability| ability.1(&account.platform) == can);
            some.map(|pair| pair.0).collect::<Vec<_>>().join(" · ")
        };
        for (label, can) in [("can", true), ("cannot", false)] {
            let what = all(can);
            if !what.is_empty() {
                card.line(label, &what);
            }
        }
        if let Some(note) = &tab.note {
            card.line("refused", note.why().as_str());
            card.weight = CardEmphasis::Loud;
        }
        card.line("rate", &format!("{}% of 300 reads a minute in use", tab.budget));
        card
    }
}

pub(crate) fn card(kind: &str, title: &str, words: &str) -> PageCard {
    PageCard {
        id: kind.to_owned(),
        kind: kind.to_owned(),
        title: SafeText::line(title),
        words: SafeText::line(words),
        ..PageCard::default()
    }
}
