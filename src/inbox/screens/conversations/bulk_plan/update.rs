use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::screens::conversations::bulk_plan::BulkPlan;
use std::rc::Rc;

/// Asks for confirmation before a bulk action on many conversations. `work` describes the work left in them.
pub(crate) fn ask_bulk(context: &mut Context, plan: BulkPlan, work: Vec<DialogLine>) {
    let verb = plan.action.verb().to_uppercase();
    let (count, mut lines) = (plan.apply.len(), plan.lines());
    lines.extend(work);
    if plan.action.needs_server() {
        let words = "Done one by one, within the rate limit. {show-results} shows each; x there stops the \
                     rest.";
        lines.extend([DialogLine::blank(), DialogLine::plain(context.fill_in_keys(words))]);
    }
    let plan = Rc::new(plan);
    let question = Confirm::new(format!("{verb} {count} {}?", plan.action.plural_noun()), lines);
    let question = question.answer('y', format!("{verb} {count}"), move |inbox| {
        inbox.changes.run_plan(&plan, &mut inbox.desk, &mut inbox.context)
    });
    context.open(question.no("cancel"));
}
