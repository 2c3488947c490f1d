//! Teaching: a person says that a conversation is in trouble, or is not, and
//! the rules that saw something there weigh more or less on this desk.

use crate::Inbox;
use crate::command::Reason;
use crate::components::text_view::TextView;
use crate::conditions::on_conversation;
use crate::event::{Effect, FileWrite, Insight, Load};
use crate::keys::KeyPress;
use model::local::Keep;
use model::queries::ConversationKey;
use model::text::SafeText;
use model::trouble::weights::{LessonPreview, TroubleRule, TroubleVerdict, TroubleWeights};

pub(crate) fn may_teach(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)
}

pub(crate) fn not_trouble(inbox: &mut Inbox, _: KeyPress) {
    teach(inbox, TroubleVerdict::NotTrouble);
}

pub(crate) fn trouble(inbox: &mut Inbox, _: KeyPress) {
    teach(inbox, TroubleVerdict::Trouble);
}

/// Reads what the lesson would change; then it is learnt.
fn teach(inbox: &mut Inbox, verdict: TroubleVerdict) {
    if let Some(key) =
        inbox.desk.current_conversation().map(|current_conversation| current_conversation.key())
    {
        inbox.context.push(Effect::Load(Load::Insight(Insight::Lesson(Some((key, verdict))))));
    }
}

/// `:trouble` shows what was taught, `:trouble reset` forgets it.
pub(crate) fn trouble_line(inbox: &mut Inbox, words: &str) -> Result<(), Reason> {
    match words {
        "" => inbox.context.push(Effect::Load(Load::Insight(Insight::Lesson(None)))),
        "reset" => inbox.context.push(Effect::Load(Load::Insight(Insight::ForgetLessons))),
        _ => return Err(format!("trouble takes reset, or nothing, not {words:?}")),
    }
    Ok(())
}

pub(crate) fn trouble_words(_: &Inbox) -> Vec<String> {
    vec!["reset".to_owned()]
}

/// What a lesson would change has come.
pub(crate) fn lesson_loaded(
    inbox: &mut Inbox,
    taught: Option<(ConversationKey, TroubleVerdict)>,
    preview: &LessonPreview,
) {
    let Some((key, verdict)) = taught else { return show(inbox, &preview.before) };
    // The cursor has moved on: that is another conversation.
    if inbox.desk.current_conversation().is_none_or(|current_conversation| !current_conversation.is(&key)) {
        return;
    }
    let after = preview.before.learning(&preview.score, verdict);
    let is_heard = preview.score.reasons.iter().any(|reason| reason.rule.is_some());
    if !is_heard {
        let words = "no rule saw anything in it, so there is nothing to learn; :trouble names the rules";
        return inbox.context.warn(words);
    }
    if after == preview.before {
        return inbox.context.warn("its rules weigh as little, or as much, as they may; :trouble shows them");
    }
    let words = lesson_words(verdict, preview, &after);
    learn(inbox, &key, &words, preview.before, after);
    inbox.context.say(words + &inbox.context.keyed(" · {undo} undoes"));
}

/// What was taught is to be forgotten.
pub(crate) fn forget(inbox: &mut Inbox, before: TroubleWeights) {
    if before == TroubleWeights::default() {
        return inbox.context.say("nothing was taught yet");
    }
    let channel = inbox.desk.tab().channel.id.clone();
    let words = "the rules of trouble weigh again as they did untaught";
    inbox.changes.note_kept(
        &channel,
        "forgot what was taught of trouble",
        Keep::Weights(before),
        &inbox.context,
    );
    inbox.context.push(FileWrite::Keep(channel, Keep::Weights(TroubleWeights::default())));
    inbox.context.say(words.to_owned() + &inbox.context.keyed(" · {undo} undoes"));
}

fn learn(
    inbox: &mut Inbox,
    key: &ConversationKey,
    words: &str,
    before: TroubleWeights,
    after: TroubleWeights,
) {
    inbox.changes.note_kept(&key.channel, words, Keep::Weights(before), &inbox.context);
    inbox.context.push(FileWrite::Keep(key.channel.clone(), Keep::Weights(after)));
}

/// `not trouble: 67 → 54, 1 fewer in trouble (wants a human 55 → 44, shouts
/// 12 → 10)`.
fn lesson_words(verdict: TroubleVerdict, preview: &LessonPreview, after: &TroubleWeights) -> String {
    let verdict = match verdict {
        TroubleVerdict::Trouble => "trouble",
        TroubleVerdict::NotTrouble => "not trouble",
    };
    let (score, learnt) = (&preview.score, preview.score.clone().weighed(after));
    let reason = |reason: &model::trouble::TroubleReason| {
        let now =
            learnt.reasons.iter().find(|other| other.rule == reason.rule && other.words == reason.words);
        format!(
            "{} {} → {}",
            reason.words,
            reason.weight,
            now.map_or(reason.weight, |trouble_reason| trouble_reason.weight)
        )
    };
    let reasons = score.reasons.iter().map(reason).collect::<Vec<_>>().join(", ");
    let over = if preview.is_cut { "at least " } else { "" };
    let changed = match (preview.more, preview.fewer) {
        (0, 0) => "as many in trouble as before".to_owned(),
        (0, fewer) => format!("{over}{fewer} fewer in trouble"),
        (more, 0) => format!("{over}{more} more in trouble"),
        (more, fewer) => format!("{over}{more} more and {fewer} fewer in trouble"),
    };
    format!("{verdict}: {} → {}, {changed} ({reasons})", score.score(), learnt.score())
}

/// What each rule weighs here.
fn show(inbox: &mut Inbox, weights: &TroubleWeights) {
    let mut lines = vec![
        inbox.context.keyed("{not-trouble} on a conversation: what its rules saw weighs a fifth less here;"),
        inbox
            .context
            .keyed("{is-trouble}: a quarter more. :trouble reset forgets all of it; {undo} undoes each."),
        String::new(),
    ];
    for (rule, _, words) in TroubleRule::ALL {
        let percent = weights.of(rule);
        let taught = match percent {
            100 => String::new(),
            less if less < 100 => format!("  taught: {}% less", 100 - less),
            more => format!("  taught: {}% more", more - 100),
        };
        lines.push(format!("{words:<36} {percent:>4}%{taught}"));
    }
    lines.push(String::new());
    let (least, most) = (TroubleWeights::LEAST, TroubleWeights::MOST);
    lines.push(format!("None weighs less than {least}% or more than {most}% of what it weighs untaught."));
    let lines = lines.iter().map(|line| SafeText::block(line)).collect();
    inbox.context.open(TextView::new("What shows trouble with the AI", lines));
}
