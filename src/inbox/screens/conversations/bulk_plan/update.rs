//! Asks before many are acted on.

use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::features::privacy::known_names;
use crate::screens::conversations::bulk_plan::BulkPlan;
use std::rc::Rc;

/// Asks before many are acted on.
pub(crate) fn ask_bulk(context: &mut Context, plan: BulkPlan) {
    let verb = plan.wish.verb().to_uppercase();
    let (count, mut lines) = (plan.apply.len(), plan.lines());
    if plan.wish.leaves() {
        let words = "They leave one by one, as the rate limit allows. {show-results} shows each, and x there \
                     stops the rest.";
        lines.extend([DialogLine::gap(), DialogLine::plain(context.keyed(words))]);
    }
    let plan = Rc::new(plan);
    let named = Rc::clone(&plan);
    let question = Confirm::new(format!("{verb} {count} {}?", plan.wish.many()), lines);
    let question = question.answer('y', format!("{verb} {count}"), move |inbox| {
        inbox.changes.carry_out(&plan, &mut inbox.desk, &mut inbox.context)
    });
    context.open(question.no("leave them").naming(move |names| {
        let skipped = named.skipped.iter().map(|(row, _)| row);
        named
            .apply
            .iter()
            .chain(skipped)
            .for_each(|conversation_row| known_names::of_row(conversation_row, names));
    }));
}
