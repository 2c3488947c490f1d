//! Usage of the model in `[assist]`, by day and tab, and the rest of the day's limits.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::credits::{Credits, credit_line};
use model::model_costs::{ModelCost, ModelUsage, ModelUsageRow};
use model::time::day_name;

impl Credits {
    /// Lines of the model: today against its limits, then each day by tab.
    pub(crate) fn model_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let Some((caps, currency)) = &context.settings.model_caps else { return Vec::new() };
        let money =
            |model_cost: ModelCost| format!("{} {currency}", model_cost.to_price()).trim_end().to_owned();
        let of = |day: i64| self.model_usage.iter().filter(move |model_usage_row| model_usage_row.day == day);
        let sum = |day: i64| {
            of(day).fold(ModelUsage::default(), |all, model_usage_row| all.plus(&model_usage_row.usage))
        };
        let today = context.now.day_number(&context.settings.zone);
        let used = sum(today);
        let has_prices =
            self.model_usage.iter().any(|model_usage_row| model_usage_row.usage.cost > ModelCost::default());
        let words = format!("{} of {} tokens used today", used.total_tokens(), caps.tokens);
        let right = match caps.cost {
            Some(most) => format!("{} of {}", used.cost.to_price(), money(most)),
            None if has_prices => money(used.cost),
            None => format!("{} %", caps.used_percent(&used)),
        };
        let loud = caps.used_percent(&used) >= 100;
        let mut lines = vec![ListLine { is_urgent: loud, ..credit_line("Your model", &words, right) }];
        let mut days: Vec<i64> = self.model_usage.iter().map(|model_usage_row| model_usage_row.day).collect();
        days.dedup();
        for day in days {
            let tab = |model_usage_row: &ModelUsageRow| {
                let tab = desk.tabs.iter().find(|tab| tab.channel.id == model_usage_row.channel);
                let name = tab.map_or(model_usage_row.channel.as_str(), |tab| tab.channel.name.as_str());
                let asked = if model_usage_row.asked == 1 {
                    "1 question".to_owned()
                } else {
                    format!("{} questions", model_usage_row.asked)
                };
                format!(
                    "{name}: {asked}, {} tokens in, {} out",
                    model_usage_row.usage.tokens_in, model_usage_row.usage.tokens_out
                )
            };
            let words: Vec<String> = of(day).map(tab).collect();
            let right =
                if has_prices { money(sum(day).cost) } else { format!("{} tokens", sum(day).total_tokens()) };
            lines.push(credit_line(&day_name(day), &words.join(" · "), right));
        }
        lines
    }
}
