//! The balance, what was spent from here and what waits for credits: a list,
//! a warning before it is empty, and one question once it is not any more.

use crate::Inbox;
use crate::event::{Effect, Load};
use crate::overlays::Layer;
use crate::overlays::listing::{ListKind, ListLine};
use crate::pages::PageKind;
use crate::tab::Tab;
use model::account::{Account, Environment};
use model::ids::{ChannelId, RowId};
use model::outbox::OutboxRow;
use model::prices::{self, Price};
use model::queries::OutboxEntry;
use model::spending::{self, Spent};
use model::text::SafeText;
use model::time::day_name;

/// So many days of what is usual are left: the balance is low.
const LOW_DAYS: f64 = 2.0;
/// Days the list shows.
const DAYS: i64 = 7;

/// What is known of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Purse {
    /// What was spent from here, by tab.
    pub(crate) spent: Vec<(ChannelId, Vec<Spent>)>,
    /// What waits for credits.
    unpaid: Vec<OutboxEntry>,
    /// Whether the list on screen may be old.
    pub(crate) stale: bool,
}

/// How a balance fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// It pays.
    Fine,
    /// It lasts for less than two days as usual.
    Low,
    /// It does not even pay for a text.
    Empty,
}

impl Inbox {
    /// How a tab's balance fares.
    pub fn balance(&self, tab: &Tab) -> Balance {
        let Some(account) = tab.account.as_ref().filter(|_| !tab.is_simulated()) else {
            return Balance::Fine;
        };
        let least = f64::from(i32::try_from(prices::TEXT).unwrap_or(1));
        match self.burn(account) {
            _ if account.credits < least => Balance::Empty,
            Some(burn) if account.credits < burn * LOW_DAYS => Balance::Low,
            _ => Balance::Fine,
        }
    }

    /// Credits a day that leave from here on the balance of an account.
    pub(crate) fn burn(&self, account: &Account) -> Option<f64> {
        let all: Vec<Spent> = self.spent_on(account).into_iter().flat_map(|(_, it)| it.clone()).collect();
        spending::burn(&all, self.context.now.day_number(&self.context.settings.zone))
    }

    /// What the tabs of a workspace spent.
    pub(crate) fn spent_on(&self, account: &Account) -> Vec<(&Tab, &Vec<Spent>)> {
        let of = |it: &ChannelId| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == *it)?;
            tab.account.as_ref().is_some_and(|it| is_same(it, account)).then_some(tab)
        };
        self.purse.spent.iter().filter_map(|(channel, spent)| Some((of(channel)?, spent))).collect()
    }

    /// Tabs of one workspace draw on one balance: an answer told it.
    pub(crate) fn credits(&mut self, channel: &ChannelId, credits: f64) {
        let Some(account) = self.tab_of(channel).and_then(|it| it.account.clone()) else { return };
        let accounts = self.tabs.iter_mut().filter_map(|it| it.account.as_mut());
        for account in accounts.filter(|it| is_same(it, &account)) {
            account.credits = credits;
        }
        self.balance_told(Some(account.credits), credits);
    }

    /// A balance is known.
    pub(crate) fn balance_told(&mut self, before: Option<f64>, credits: f64) {
        self.purse.stale = true;
        if before != Some(credits) {
            self.context.push(Effect::Load(Load::Spent));
        }
    }

    /// What waits for credits has come.
    pub(crate) fn unpaid(&mut self, entries: Vec<OutboxEntry>) {
        self.purse.unpaid = entries;
    }

    /// Whether the balance pays for a row that waits for credits; `None` where
    /// its price or the balance is not known.
    pub fn pays(&self, row: &OutboxRow) -> Option<bool> {
        let tab = self.tabs.iter().find(|it| it.channel.id == row.channel)?;
        tab.account.as_ref()?;
        let price = spending::price(&row.operation, tab.template_price())?;
        Some(!tab.channel.read_only && tab.cannot_pay(price).is_none())
    }

    /// Whether anything waits for credits that could leave.
    pub(crate) fn has_unpaid(&self) -> bool {
        !self.payable().is_empty()
    }

    /// `5 that waited for credits (14 credits)`.
    pub(crate) fn unpaid_words(&self) -> String {
        let payable = self.payable();
        format!("{} that waited for credits ({})", payable.len(), self.price_of_unpaid(&payable).words())
    }

    fn payable(&self) -> Vec<&OutboxEntry> {
        let may = |it: &&OutboxEntry| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == it.row.channel);
            let has_any =
                || tab.is_some_and(|tab| !tab.channel.read_only && self.balance(tab) != Balance::Empty);
            self.pays(&it.row).unwrap_or_else(has_any)
        };
        self.purse.unpaid.iter().filter(may).collect()
    }

    fn price_of_unpaid(&self, entries: &[&OutboxEntry]) -> Price {
        let price = |it: &&OutboxEntry| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == it.row.channel)?;
            spending::price(&it.row.operation, tab.template_price())
        };
        entries.iter().filter_map(price).fold(Price::FREE, Price::and)
    }

    /// Asks whether to send all that waited for credits.
    pub(crate) fn ask_unpaid(&mut self) {
        let payable = self.payable();
        if payable.is_empty() {
            let words = match self.purse.unpaid.len() {
                0 => "nothing waits for credits",
                _ => "the balance is empty still",
            };
            return self.warn(words);
        }
        let price = Some(self.price_of_unpaid(&payable).words());
        let go: Vec<(RowId, SafeText)> =
            payable.into_iter().map(|it| (it.row.id.clone(), it.title.clone())).collect();
        self.open_layer(Layer::DecideAll { go, look: 0, price });
    }

    /// Opens the list.
    pub(crate) fn show_credits(&mut self) {
        self.purse.stale = false;
        self.context.effects.extend([Effect::Load(Load::Spent), Effect::Load(Load::Unpaid)]);
        self.context.push(Effect::Refresh(self.tab().channel.id.clone()));
        self.show_list(ListKind::Credits);
    }

    /// Reads the list anew while it is on screen.
    pub(crate) fn follow_purse(&mut self) {
        let shown = self.page == PageKind::Account
            || matches!(self.layers.last(), Some(Layer::List { kind: ListKind::Credits, .. }));
        if shown && std::mem::take(&mut self.purse.stale) {
            self.context.effects.extend([Effect::Load(Load::Spent), Effect::Load(Load::Unpaid)]);
        }
    }

    /// The lines of the list: each balance with what was spent on it.
    pub(crate) fn credit_lines(&self) -> Vec<ListLine> {
        let mut seen: Vec<&Account> = Vec::new();
        let mut lines = Vec::new();
        for tab in self.tabs.iter().filter(|it| !it.is_simulated()) {
            let Some(account) = &tab.account else { continue };
            if !seen.iter().any(|it| is_same(it, account)) {
                seen.push(account);
                self.lines_of(tab, account, &mut lines);
            }
        }
        for words in ["Known here is what this desk sent.", "What the AI's own replies cost is told nowhere."]
        {
            lines.push(ListLine { dim: true, ..line("", words, String::new()) });
        }
        lines
    }

    fn lines_of(&self, tab: &Tab, account: &Account, lines: &mut Vec<ListLine>) {
        let name = account.workspace_name.clone().unwrap_or_else(|| SafeText::line("Workspace"));
        let burn = self.burn(account);
        let lasts = burn.map(|it| lasts(account.credits, it));
        let (word, loud) = match self.balance(tab) {
            Balance::Fine => ("", false),
            Balance::Low => ("LOW · ", true),
            Balance::Empty => ("EMPTY · ", true),
        };
        let words = format!("{word}{}", lasts.as_deref().unwrap_or("no whole day is known here yet"));
        let right = credits(account.credits);
        lines.push(ListLine { loud, name, ..line("", &words, right) });
        let unpaid: Vec<&OutboxEntry> =
            self.purse.unpaid.iter().filter(|it| self.is_on(it, account)).collect();
        if !unpaid.is_empty() {
            let words = match unpaid.len() {
                1 => "1 message waits for credits; A sends it".to_owned(),
                count => format!("{count} messages wait for credits; A sends them"),
            };
            let price = self.price_of_unpaid(&unpaid).words();
            lines.push(ListLine { loud: true, ..line("", &words, price) });
        }
        let spent = self.spent_on(account);
        let today = self.context.now.day_number(&self.context.settings.zone);
        for day in (today - DAYS + 1..=today).rev() {
            let mut parts = Vec::new();
            let mut sum = 0.0;
            for (tab, all) in &spent {
                for it in all.iter().filter(|it| it.day == day) {
                    sum += it.credits;
                    parts.push(format!(
                        "{}: {} {} {}",
                        tab.channel.name,
                        it.count,
                        it.action,
                        prices::credits(it.credits)
                    ));
                }
            }
            if !parts.is_empty() {
                let name = day_name(day);
                lines.push(line(&name, &parts.join(" · "), credits(sum)));
            }
        }
    }

    fn is_on(&self, entry: &OutboxEntry, account: &Account) -> bool {
        let tab = self.tabs.iter().find(|it| it.channel.id == entry.row.channel);
        tab.and_then(|it| it.account.as_ref()).is_some_and(|it| is_same(it, account))
    }
}

/// Whether two accounts draw on one balance.
pub(crate) fn is_same(one: &Account, other: &Account) -> bool {
    let live = |it: &Account| it.environment == Environment::Live;
    one.workspace_id == other.workspace_id && live(one) == live(other)
}

/// `lasts 12 days, at 3.5 a day from here`.
pub(crate) fn lasts(credits: f64, burn: f64) -> String {
    let days = (credits / burn).min(999.0);
    let days = if days < 1.5 { "a day".to_owned() } else { format!("{days:.0} days") };
    format!("lasts {days}, at {} a day from here", prices::credits(burn))
}

/// `1 credit`, `2.5 credits`.
pub(crate) fn credits(amount: f64) -> String {
    let word = prices::credits(amount);
    if word == "1" { "1 credit".to_owned() } else { format!("{word} credits") }
}

fn line(name: &str, words: &str, right: String) -> ListLine {
    ListLine {
        name: SafeText::line(name),
        words: SafeText::line(words),
        right,
        loud: false,
        dim: false,
        goes_to: None,
    }
}
