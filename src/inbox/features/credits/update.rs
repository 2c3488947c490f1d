//! Keeps balance and spending current, and lists them.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::features::credits::{Balance, Credits, DAYS, LOW_DAYS, credits, is_same, lasts, line};
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::pages::PageKind;
use crate::screens::outbox::deciding;
use crate::tab::Tab;
use model::account::Account;
use model::ids::{ChannelId, RowId};
use model::outbox::OutboxRow;
use model::prices::{self, Price};
use model::queries::OutboxEntry;
use model::spending::{self, Spent};
use model::text::SafeText;
use model::time::day_name;

impl Credits {
    /// The course of a tab's balance.
    pub fn balance(&self, tab: &Tab, desk: &Desk, context: &Context) -> Balance {
        let Some(account) = tab.account.as_ref().filter(|_| !tab.is_simulated()) else {
            return Balance::Fine;
        };
        let least = f64::from(i32::try_from(prices::TEXT_CREDITS).unwrap_or(1));
        match self.burn(account, desk, context) {
            _ if account.credits < least => Balance::Empty,
            Some(burn) if account.credits < burn * LOW_DAYS => Balance::Low,
            _ => Balance::Fine,
        }
    }

    /// Credits a day that leave from here on the balance of an account.
    pub(crate) fn burn(&self, account: &Account, desk: &Desk, context: &Context) -> Option<f64> {
        let all: Vec<Spent> =
            self.spent_on(account, desk).into_iter().flat_map(|(_, spents)| spents.clone()).collect();
        spending::daily_spending(&all, context.now.day_number(&context.settings.zone))
    }

    /// What the tabs of a workspace spent.
    pub(crate) fn spent_on<'a>(
        &'a self,
        account: &Account,
        desk: &'a Desk,
    ) -> Vec<(&'a Tab, &'a Vec<Spent>)> {
        let of = |channel_id: &ChannelId| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel_id)?;
            tab.account.as_ref().is_some_and(|entry| is_same(entry, account)).then_some(tab)
        };
        self.spent.iter().filter_map(|(channel, spent)| Some((of(channel)?, spent))).collect()
    }

    /// Tabs of one workspace draw on one balance: an answer told it.
    pub(crate) fn credits(
        &mut self,
        channel: &ChannelId,
        credits: f64,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let Some(account) = desk.tab_of(channel).and_then(|tab| tab.account.clone()) else { return };
        let accounts = desk.tabs.iter_mut().filter_map(|tab| tab.account.as_mut());
        for account in accounts.filter(|entry| is_same(entry, &account)) {
            account.credits = credits;
        }
        self.balance_told(Some(account.credits), credits, context);
    }

    /// A balance is known.
    pub(crate) fn balance_told(&mut self, before: Option<f64>, credits: f64, context: &mut Context) {
        self.stale = true;
        if before != Some(credits) {
            context.push(Effect::Load(Load::Spent));
        }
    }

    /// Whether anything waits for credits that could leave.
    pub(crate) fn has_unpaid(&self, desk: &Desk, context: &Context) -> bool {
        !self.payable(desk, context).is_empty()
    }

    /// `5 that waited for credits (14 credits)`.
    pub(crate) fn unpaid_words(&self, desk: &Desk, context: &Context) -> String {
        let payable = self.payable(desk, context);
        format!("{} that waited for credits ({})", payable.len(), desk.price_of_unpaid(&payable).describe())
    }

    fn payable(&self, desk: &Desk, context: &Context) -> Vec<&OutboxEntry> {
        let may = |outbox_entry: &&OutboxEntry| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == outbox_entry.row.channel);
            let has_any = || {
                tab.is_some_and(|tab| {
                    !tab.channel.read_only && self.balance(tab, desk, context) != Balance::Empty
                })
            };
            desk.pays(&outbox_entry.row).unwrap_or_else(has_any)
        };
        self.unpaid.iter().filter(may).collect()
    }

    /// Asks whether to send all that waited for credits.
    pub(crate) fn ask_unpaid(&mut self, desk: &Desk, context: &mut Context) {
        let payable = self.payable(desk, context);
        if payable.is_empty() {
            let words = match self.unpaid.len() {
                0 => "nothing waits for credits",
                _ => "the balance is empty still",
            };
            return context.warn(words);
        }
        let price = desk.price_of_unpaid(&payable).describe();
        let go: Vec<(RowId, SafeText)> = payable
            .into_iter()
            .map(|outbox_entry| (outbox_entry.row.id.clone(), outbox_entry.title.clone()))
            .collect();
        deciding::ask_to_send_all(context, go, 0, Some(&price));
    }

    /// Opens the list.
    pub(crate) fn show_credits(&mut self, desk: &Desk, context: &mut Context) {
        self.stale = false;
        self.load(context);
        context.push(SyncOrder::Refresh(desk.tab().channel.id.clone()));
        listing::show_list(context, ListKind::Credits);
    }

    /// Reads the list anew while it is on screen.
    pub(crate) fn refresh_balance(&mut self, desk: &Desk, context: &mut Context) {
        let shown = desk.page == PageKind::Account || listing::shows_list(context, ListKind::Credits);
        if shown && std::mem::take(&mut self.stale) {
            self.load(context);
        }
    }

    fn load(&self, context: &mut Context) {
        context.effects.extend([Effect::Load(Load::Spent), Effect::Load(Load::Unpaid)]);
        if context.settings.model_caps.is_some() {
            let today = context.now.day_number(&context.settings.zone);
            context.push(Effect::Load(Load::ModelUsage(today - DAYS + 1)));
        }
    }

    /// The lines of the list: each balance with what was spent on it.
    pub(crate) fn credit_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let mut seen: Vec<&Account> = Vec::new();
        let mut lines = Vec::new();
        for tab in desk.tabs.iter().filter(|tab| !tab.is_simulated()) {
            let Some(account) = &tab.account else { continue };
            if !seen.iter().any(|entry| is_same(entry, account)) {
                seen.push(account);
                self.lines_of(tab, account, &mut lines, desk, context);
            }
        }
        for words in ["Known here is what this desk sent.", "What the AI's own replies cost is told nowhere."]
        {
            lines.push(ListLine { dim: true, ..line("", words, String::new()) });
        }
        lines.extend(self.model_lines(desk, context));
        lines
    }

    fn lines_of(
        &self,
        tab: &Tab,
        account: &Account,
        lines: &mut Vec<ListLine>,
        desk: &Desk,
        context: &Context,
    ) {
        let name = account.workspace_name.clone().unwrap_or_else(|| SafeText::line("Workspace"));
        let burn = self.burn(account, desk, context);
        let lasts = burn.map(|burn| lasts(account.credits, burn));
        let (word, loud) = match self.balance(tab, desk, context) {
            Balance::Fine => ("", false),
            Balance::Low => ("LOW · ", true),
            Balance::Empty => ("EMPTY · ", true),
        };
        let words = format!("{word}{}", lasts.as_deref().unwrap_or("no whole day is known here yet"));
        let right = credits(account.credits);
        lines.push(ListLine { loud, name, ..line("", &words, right) });
        let unpaid: Vec<&OutboxEntry> =
            self.unpaid.iter().filter(|outbox_entry| desk.is_on(outbox_entry, account)).collect();
        if !unpaid.is_empty() {
            let words = match unpaid.len() {
                1 => "1 message waits for credits; A sends it".to_owned(),
                count => format!("{count} messages wait for credits; A sends them"),
            };
            let price = desk.price_of_unpaid(&unpaid).describe();
            lines.push(ListLine { loud: true, ..line("", &words, price) });
        }
        let spent = self.spent_on(account, desk);
        let today = context.now.day_number(&context.settings.zone);
        for day in (today - DAYS + 1..=today).rev() {
            let mut parts = Vec::new();
            let mut sum = 0.0;
            for (tab, all) in &spent {
                for it in all.iter().filter(|spent| spent.day == day) {
                    sum += it.credits;
                    parts.push(format!(
                        "{}: {} {} {}",
                        tab.channel.name,
                        it.count,
                        it.action,
                        prices::format_balance(it.credits)
                    ));
                }
            }
            if !parts.is_empty() {
                let name = day_name(day);
                lines.push(line(&name, &parts.join(" · "), credits(sum)));
            }
        }
    }
}

impl Desk {
    /// Whether the balance pays for a row that waits for credits; `None` where
    /// its price or the balance is not known.
    pub fn pays(&self, row: &OutboxRow) -> Option<bool> {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
        tab.account.as_ref()?;
        let price = spending::price(&row.operation, tab.template_price())?;
        Some(!tab.channel.read_only && tab.cannot_pay(price).is_none())
    }

    fn price_of_unpaid(&self, entries: &[&OutboxEntry]) -> Price {
        let price = |outbox_entry: &&OutboxEntry| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == outbox_entry.row.channel)?;
            spending::price(&outbox_entry.row.operation, tab.template_price())
        };
        entries.iter().filter_map(price).fold(Price::FREE, Price::plus)
    }

    fn is_on(&self, entry: &OutboxEntry, account: &Account) -> bool {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == entry.row.channel);
        tab.and_then(|tab| tab.account.as_ref()).is_some_and(|entry| is_same(entry, account))
    }
}
