//! Keeps balance and spending current, and lists them.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::features::credits::{
    BalanceLevel, Credits, LOW_BALANCE_DAYS, SHOWN_DAYS, credit_line, describe_remaining_days,
    format_credits, shares_balance,
};
use crate::overlays::listing;
use crate::overlays::listing::ListKind;
use crate::pages::PageKind;
use crate::screens::outbox::decision_actions;
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
    pub fn balance_level(&self, tab: &Tab, desk: &Desk, context: &Context) -> BalanceLevel {
        let Some(account) = tab.account.as_ref().filter(|_| !tab.is_simulated()) else {
            return BalanceLevel::Fine;
        };
        let least = f64::from(i32::try_from(prices::TEXT_CREDITS).unwrap_or(1));
        match self.daily_spending(account, desk, context) {
            _ if account.credits < least => BalanceLevel::Empty,
            Some(burn) if account.credits < burn * LOW_BALANCE_DAYS => BalanceLevel::Low,
            _ => BalanceLevel::Fine,
        }
    }

    /// Average credits per day spent from this desk on an account's balance.
    pub(crate) fn daily_spending(&self, account: &Account, desk: &Desk, context: &Context) -> Option<f64> {
        let all: Vec<Spent> = self
            .workspace_spending(account, desk)
            .into_iter()
            .flat_map(|(_, spents)| spents.clone())
            .collect();
        spending::daily_spending(&all, context.now.day_number(&context.settings.zone))
    }

    pub(crate) fn workspace_spending<'a>(
        &'a self,
        account: &Account,
        desk: &'a Desk,
    ) -> Vec<(&'a Tab, &'a Vec<Spent>)> {
        let of = |channel_id: &ChannelId| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel_id)?;
            tab.account.as_ref().is_some_and(|entry| shares_balance(entry, account)).then_some(tab)
        };
        self.spent.iter().filter_map(|(channel, spent)| Some((of(channel)?, spent))).collect()
    }

    /// Stores a new balance for all tabs of the workspace.
    pub(crate) fn store_balance(
        &mut self,
        channel: &ChannelId,
        credits: f64,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let Some(account) = desk.tab_of(channel).and_then(|tab| tab.account.clone()) else { return };
        let accounts = desk.tabs.iter_mut().filter_map(|tab| tab.account.as_mut());
        for account in accounts.filter(|entry| shares_balance(entry, &account)) {
            account.credits = credits;
        }
        self.receive_balance(Some(account.credits), credits, context);
    }

    /// Marks the list as stale, and reloads the spending if the balance changed.
    pub(crate) fn receive_balance(&mut self, before: Option<f64>, credits: f64, context: &mut Context) {
        self.stale = true;
        if before != Some(credits) {
            context.push(Effect::Load(Load::Spending));
        }
    }

    /// Returns the reason if nothing that waited for credits can be sent now.
    pub(crate) fn may_send_unpaid(&self, desk: &Desk, context: &Context) -> Result<(), &'static str> {
        match (self.payable_rows(desk, context).is_empty(), self.unpaid.is_empty()) {
            (false, _) => Ok(()),
            (true, true) => Err("no messages waiting for credits"),
            (true, false) => Err("the balance is still empty"),
        }
    }

    pub(crate) fn describe_unpaid(&self, desk: &Desk, context: &Context) -> String {
        let payable = self.payable_rows(desk, context);
        format!("{} that waited for credits ({})", payable.len(), price_of_unpaid(desk, &payable).describe())
    }

    fn payable_rows(&self, desk: &Desk, context: &Context) -> Vec<&OutboxEntry> {
        let may = |outbox_entry: &&OutboxEntry| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == outbox_entry.row.channel);
            let has_any = || {
                tab.is_some_and(|tab| {
                    !tab.channel.read_only && self.balance_level(tab, desk, context) != BalanceLevel::Empty
                })
            };
            can_pay_for(desk, &outbox_entry.row).unwrap_or_else(has_any)
        };
        self.unpaid.iter().filter(may).collect()
    }

    pub(crate) fn ask_to_send_unpaid(&mut self, desk: &Desk, context: &mut Context) {
        if let Err(why) = self.may_send_unpaid(desk, context) {
            return context.show_warning(why);
        }
        let payable = self.payable_rows(desk, context);
        let price = price_of_unpaid(desk, &payable).describe();
        let go: Vec<(RowId, SafeText)> = payable
            .into_iter()
            .map(|outbox_entry| (outbox_entry.row.id.clone(), outbox_entry.title.clone()))
            .collect();
        decision_actions::ask_to_send_all(context, go, 0, Some(&price));
    }

    pub(crate) fn show_credits(&mut self, desk: &Desk, context: &mut Context) {
        self.stale = false;
        self.load_spending(context);
        context.push(SyncOrder::Refresh(desk.tab().channel.id.clone()));
        listing::show_list(context, ListKind::Credits);
    }

    /// Reloads the list while it is on screen.
    pub(crate) fn refresh_balance(&mut self, desk: &Desk, context: &mut Context) {
        let shown = desk.page == PageKind::Account || listing::shows_list(context, ListKind::Credits);
        if shown && std::mem::take(&mut self.stale) {
            self.load_spending(context);
        }
    }

    fn load_spending(&self, context: &mut Context) {
        context.effects.extend([Effect::Load(Load::Spending), Effect::Load(Load::Unpaid)]);
        if context.settings.model_caps.is_some() {
            let today = context.now.day_number(&context.settings.zone);
            context.push(Effect::Load(Load::ModelUsage(today - SHOWN_DAYS + 1)));
        }
    }

    pub(crate) fn credit_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let mut seen: Vec<&Account> = Vec::new();
        let mut lines = Vec::new();
        for tab in desk.tabs.iter().filter(|tab| !tab.is_simulated()) {
            let Some(account) = &tab.account else { continue };
            if !seen.iter().any(|entry| shares_balance(entry, account)) {
                seen.push(account);
                self.push_account_lines(tab, account, &mut lines, desk, context);
            }
        }
        for words in [
            "Only messages sent from this desk are counted.",
            "The service does not report the cost of AI replies.",
        ] {
            lines.push(ListLine { dim: true, ..credit_line("", words, String::new()) });
        }
        lines.extend(self.model_lines(desk, context));
        lines
    }

    fn push_account_lines(
        &self,
        tab: &Tab,
        account: &Account,
        lines: &mut Vec<ListLine>,
        desk: &Desk,
        context: &Context,
    ) {
        let name = account.workspace_name.clone().unwrap_or_else(|| SafeText::line("Workspace"));
        let burn = self.daily_spending(account, desk, context);
        let lasts = burn.map(|burn| describe_remaining_days(account.credits, burn));
        let (word, loud) = match self.balance_level(tab, desk, context) {
            BalanceLevel::Fine => ("", false),
            BalanceLevel::Low => ("LOW · ", true),
            BalanceLevel::Empty => ("EMPTY · ", true),
        };
        let words = format!("{word}{}", lasts.as_deref().unwrap_or("less than a day of data yet"));
        let right = format_credits(account.credits);
        lines.push(ListLine { is_urgent: loud, name, ..credit_line("", &words, right) });
        let unpaid: Vec<&OutboxEntry> =
            self.unpaid.iter().filter(|outbox_entry| is_paid_by(desk, outbox_entry, account)).collect();
        if !unpaid.is_empty() {
            let words = match unpaid.len() {
                1 => "1 message waiting for credits · A send".to_owned(),
                count => format!("{count} messages waiting for credits · A send"),
            };
            let price = price_of_unpaid(desk, &unpaid).describe();
            lines.push(ListLine { is_urgent: true, ..credit_line("", &words, price) });
        }
        let spent = self.workspace_spending(account, desk);
        let today = context.now.day_number(&context.settings.zone);
        for day in (today - SHOWN_DAYS + 1..=today).rev() {
            let mut parts = Vec::new();
            let mut sum = 0.0;
            for (tab, all) in &spent {
                for spent in all.iter().filter(|spent| spent.day == day) {
                    sum += spent.credits;
                    parts.push(format!(
                        "{}: {} {} {}",
                        tab.channel.name,
                        spent.count,
                        spent.action,
                        prices::format_balance(spent.credits)
                    ));
                }
            }
            if !parts.is_empty() {
                let name = day_name(day);
                lines.push(credit_line(&name, &parts.join(" · "), format_credits(sum)));
            }
        }
    }
}

/// True if the balance pays for an unpaid row; `None` if price or balance is unknown.
pub fn can_pay_for(desk: &Desk, row: &OutboxRow) -> Option<bool> {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
    tab.account.as_ref()?;
    let price = spending::price(&row.operation, tab.template_price())?;
    Some(!tab.channel.read_only && tab.payment_error(price).is_none())
}

fn price_of_unpaid(desk: &Desk, entries: &[&OutboxEntry]) -> Price {
    let price = |outbox_entry: &&OutboxEntry| {
        let tab = desk.tabs.iter().find(|tab| tab.channel.id == outbox_entry.row.channel)?;
        spending::price(&outbox_entry.row.operation, tab.template_price())
    };
    entries.iter().filter_map(price).fold(Price::FREE, Price::plus)
}

fn is_paid_by(desk: &Desk, entry: &OutboxEntry, account: &Account) -> bool {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == entry.row.channel);
    tab.and_then(|tab| tab.account.as_ref()).is_some_and(|entry| shares_balance(entry, account))
}
