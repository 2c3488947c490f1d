//! The account page: balance, number, abilities of the key, and prices.

pub(crate) mod spending;

use crate::context::Context;
use crate::desk::Desk;
use crate::features::credits;
use crate::features::credits::BalanceLevel;
use crate::features::credits::Credits;
use crate::screens::cards::{CardEmphasis, PageCard};
use model::account::{Account, Environment, Platform};
use model::prices::{self, Price};
use model::text::SafeText;

type AbilityCheck = fn(&Platform) -> bool;

const ABILITIES: [(&str, AbilityCheck); 9] = [
    ("list and read conversations", Platform::has_conversations),
    ("answer in them", Platform::has_histories),
    ("pause the AI, hand back", Platform::is_chat),
    ("close conversations, templates", Platform::can_take_over),
    ("contacts and broadcasts", Platform::has_contacts),
    ("mail threads", |platform| matches!(platform, Platform::Email)),
    ("SMS and calls", |platform| matches!(platform, Platform::Voip)),
    ("webhooks", |platform| !matches!(platform, Platform::Web)),
    ("trigger events", |platform| !matches!(platform, Platform::Web)),
];

impl Credits {
    pub(crate) fn account_cards(&self, desk: &Desk, context: &Context) -> Vec<PageCard> {
        let Some(account) = &desk.tab().account else { return Vec::new() };
        let mut cards = vec![self.balance_card(account, desk, context)];
        cards.extend(self.spending_cards(account, desk, context));
        cards.extend([self.number_card(account), key_card(desk, account), self.price_card(account, desk)]);
        cards
    }

    fn balance_card(&self, account: &Account, desk: &Desk, context: &Context) -> PageCard {
        let credits = credits::format_credits(account.credits);
        let forecast = self.forecast(account, desk, context);
        let words = forecast.as_deref().unwrap_or("less than a day of data yet");
        let mut card = text_card("balance", &credits, words);
        let state = match self.balance_level(desk.tab(), desk, context) {
            BalanceLevel::Fine => "pays",
            BalanceLevel::Low => "LOW",
            BalanceLevel::Empty => "EMPTY",
        };
        if state != "pays" {
            card.emphasis = CardEmphasis::Loud;
            card.push_line("state", state);
        }
        let shares = desk
            .tabs
            .iter()
            .filter(|tab| tab.account.as_ref().is_some_and(|other| credits::shares_balance(other, account)));
        let names: Vec<&str> = shares.map(|share| share.channel.name.as_str()).collect();
        card.push_line("balance", &credits);
        card.push_line("forecast", words);
        card.push_line("shared with", &names.join(", "));
        card.push_line("not included", "AI replies: the service does not report their cost");
        card
    }

    fn number_card(&self, account: &Account) -> PageCard {
        let none = || "unknown".to_owned();
        let text = |text: &Option<SafeText>| text.as_ref().map_or_else(none, ToString::to_string);
        let about = [&account.messaging_tier, &account.quality_rating];
        let mut words = vec![account.platform.label().to_owned()];
        words.extend(about.into_iter().flatten().map(ToString::to_string));
        let mut card = text_card("account", &text(&account.workspace_name), &words.join(" · "));
        card.push_line("workspace", &text(&account.workspace_name));
        card.push_line("assistant", &text(&account.assistant_name));
        card.push_line("channel", account.platform.label());
        card.push_line(
            "number",
            &account.number.as_ref().map_or_else(|| "not connected".to_owned(), ToString::to_string),
        );
        card.push_line("tier", &text(&account.messaging_tier));
        card.push_line("quality", &text(&account.quality_rating));
        card.push_line("id", &account.id);
        card
    }

    fn price_card(&self, account: &Account, desk: &Desk) -> PageCard {
        let tab = desk.tab();
        let mut card = text_card("prices", "published", "and as last charged");
        if account.environment == Environment::Test {
            card.push_line("here", "free: this is a TEST key");
        }
        let exactly = |number: i64| Price::exactly(number).describe();
        let template = match tab.templates.charged {
            Some(charged) => format!("{}, as last charged", exactly(charged)),
            None => format!("{}: both are published", tab.template_price().describe()),
        };
        let uploaded = format!(
            "{}; video {}",
            exactly(prices::UPLOADED_MEDIA_CREDITS),
            exactly(prices::UPLOADED_VIDEO_CREDITS)
        );
        let linked = format!("{}, or any file from your own link", exactly(prices::LINKED_MEDIA_CREDITS));
        let rows = [
            ("text", exactly(prices::TEXT_CREDITS), "message"),
            ("link", linked, ""),
            ("upload", uploaded, "file"),
            ("template", template, ""),
            ("mail", exactly(prices::EMAIL_CREDITS), "mail"),
            ("SMS", format!("{}, not published", exactly(prices::SMS_CREDITS)), "sms"),
            ("call", "by the minute; the price is not published".to_owned(), "call"),
            ("broadcast", "each recipient as a single message".to_owned(), ""),
            ("free", "reads, reactions, uploads, switches, contacts, webhooks".to_owned(), ""),
        ];
        for (label, words, action) in rows {
            let learned = self
                .average_charge(account, action, desk)
                .map(|text| format!(" · charged: {text} on average"));
            card.push_line(label, &format!("{words}{}", learned.unwrap_or_default()));
        }
        card
    }

    /// Average price of a kind of action, from answers so far.
    fn average_charge(&self, account: &Account, action: &str, desk: &Desk) -> Option<String> {
        let spent = self.workspace_spending(account, desk);
        let all = spent.iter().flat_map(|pair| pair.1).filter(|spent| spent.action == action);
        let (credits, count) = all.fold((0.0, 0u32), |(credits, count), spent| {
            (credits + spent.credits, count.saturating_add(spent.count))
        });
        (count > 0).then(|| credits::format_credits(credits / f64::from(count)))
    }
}

fn key_card(desk: &Desk, account: &Account) -> PageCard {
    let tab = desk.tab();
    let count = ABILITIES.iter().filter(|ability| ability.1(&account.platform)).count();
    let words = format!("{count} of {} permissions", ABILITIES.len());
    let is_test = account.environment == Environment::Test;
    let (title, text) = if is_test { ("TEST", words.as_str()) } else { (words.as_str(), "") };
    let mut card = text_card("key", title, text);
    if is_test {
        card.push_line("key", "TEST: everything is checked, nothing is sent or charged");
    }
    if tab.channel.read_only {
        card.push_line("read-only", "nothing can be changed here");
    }
    let all = |can: bool| {
        let some = ABILITIES.iter().filter(|ability| ability.1(&account.platform) == can);
        some.map(|pair| pair.0).collect::<Vec<_>>().join(" · ")
    };
    for (label, can) in [("can", true), ("cannot", false)] {
        let what = all(can);
        if !what.is_empty() {
            card.push_line(label, &what);
        }
    }
    if let Some(note) = &tab.empty_reason {
        card.push_line("refused", note.server_reason().as_str());
        card.emphasis = CardEmphasis::Loud;
    }
    card.push_line("rate", &format!("{}% of 300 reads a minute in use", tab.budget_percent));
    card
}

pub(crate) fn text_card(kind: &str, title: &str, words: &str) -> PageCard {
    PageCard {
        id: kind.to_owned(),
        kind: kind.to_owned(),
        title: SafeText::line(title),
        text: SafeText::line(words),
        ..PageCard::default()
    }
}
