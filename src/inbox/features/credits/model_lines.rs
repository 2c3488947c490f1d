//! What the model of `[assist]` took, by day and tab, and how much of the day is
//! left.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::features::credits::{Credits, line};
use model::model_costs::{ModelCost, ModelUsage, ModelUsageRow};
use model::time::day_name;

impl Credits {
    /// The lines of the model: today against its caps, then each day by tab.
    pub(crate) fn model_lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        let Some((caps, currency)) = &context.settings.model_caps else { return Vec::new() };
        let money = |it: ModelCost| format!("{} {currency}", it.words()).trim_end().to_owned();
        let of = |day: i64| self.model.iter().filter(move |it| it.day == day);
        let sum = |day: i64| of(day).fold(ModelUsage::default(), |all, it| all.plus(&it.usage));
        let today = context.now.day_number(&context.settings.zone);
        let used = sum(today);
        let has_prices = self.model.iter().any(|it| it.usage.cost > ModelCost::default());
        let words = format!("{} of {} tokens used today", used.tokens(), caps.tokens);
        let right = match caps.cost {
            Some(most) => format!("{} of {}", used.cost.words(), money(most)),
            None if has_prices => money(used.cost),
            None => format!("{} %", caps.percent(&used)),
        };
        let loud = caps.percent(&used) >= 100;
        let mut lines = vec![ListLine { loud, ..line("Your model", &words, right) }];
        let mut days: Vec<i64> = self.model.iter().map(|it| it.day).collect();
        days.dedup();
        for day in days {
            let tab = |it: &ModelUsageRow| {
                let tab = desk.tabs.iter().find(|tab| tab.channel.id == it.channel);
                let name = tab.map_or(it.channel.as_str(), |tab| tab.channel.name.as_str());
                let asked =
                    if it.asked == 1 { "1 question".to_owned() } else { format!("{} questions", it.asked) };
                format!("{name}: {asked}, {} tokens in, {} out", it.usage.tokens_in, it.usage.tokens_out)
            };
            let words: Vec<String> = of(day).map(tab).collect();
            let right =
                if has_prices { money(sum(day).cost) } else { format!("{} tokens", sum(day).tokens()) };
            lines.push(line(&day_name(day), &words.join(" · "), right));
        }
        lines
    }
}
