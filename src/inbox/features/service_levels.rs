//! How fast customers are answered, as bars: one measure at a time, over some
//! days.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use model::service_levels::{LevelsQuery, LevelsReport, ServiceLevels, Spans, TargetRate};
use model::text::SafeText;
use model::time::{DAY, format_precise_span};

/// Cells of the longest bar.
const BAR: i64 = 16;
/// Days that are measured: one choice after the other.
const DAYS: [i64; 3] = [7, 30, 1];

/// What the bars show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LevelsMeasure {
    #[default]
    FirstResponse,
    Waiting,
    Resolution,
    HandedOver,
    HandedBack,
}

/// The measure shown, over which days, and what was measured.
#[derive(Debug, Default)]
pub(crate) struct LevelsChart {
    measure: LevelsMeasure,
    /// The place of the chosen days.
    days: usize,
    asked: Option<LevelsQuery>,
    /// None until it has come.
    report: Option<LevelsReport>,
}

impl LevelsMeasure {
    fn label(self) -> &'static str {
        match self {
            Self::FirstResponse => "First response",
            Self::Waiting => "Waiting for an answer",
            Self::Resolution => "Until the last answer",
            Self::HandedOver => "Handed over to a person",
            Self::HandedBack => "Handed back to the AI",
        }
    }

    fn next(self) -> Self {
        match self {
            Self::FirstResponse => Self::Waiting,
            Self::Waiting => Self::Resolution,
            Self::Resolution => Self::HandedOver,
            Self::HandedOver => Self::HandedBack,
            Self::HandedBack => Self::FirstResponse,
        }
    }

    /// How long the bar of these is, in any unit, and what is said of them.
    fn of(self, levels: &ServiceLevels) -> (Option<i64>, String) {
        match self {
            Self::FirstResponse => in_time(spans(&levels.first_response), levels.first_in_time),
            Self::Waiting => in_time(spans(&levels.waiting), levels.later_in_time),
            Self::Resolution => spans(&levels.resolution),
            Self::HandedOver => share(levels.handed_over, levels.cases),
            Self::HandedBack => share(levels.handed_back, levels.handed_over),
        }
    }
}

fn spans(spans: &Spans) -> (Option<i64>, String) {
    let words = match (spans.median, spans.p90) {
        (Some(half), Some(most)) => {
            format!("half in {}, 9 in 10 in {}", format_precise_span(half), format_precise_span(most))
        }
        _ => "none yet".to_owned(),
    };
    (spans.median, words)
}

/// Adds how many were within their target, where there is one.
fn in_time((bar, words): (Option<i64>, String), in_time: TargetRate) -> (Option<i64>, String) {
    match in_time.percent() {
        Some(percent) => (bar, format!("{words} · {percent}% in time")),
        None => (bar, words),
    }
}

fn share(count: usize, of: usize) -> (Option<i64>, String) {
    let percent = (count * 100).checked_div(of).and_then(|checked_div| i64::try_from(checked_div).ok());
    let words =
        percent.map_or_else(|| "none yet".to_owned(), |percent| format!("{percent}%, {count} of {of}"));
    (percent, words)
}

impl LevelsChart {
    /// The title of the list.
    pub(crate) fn title(&self) -> String {
        let days = match DAYS[self.days] {
            1 => "the last 24 hours".to_owned(),
            days => format!("the last {days} days"),
        };
        format!("{} · {days}", self.measure.label())
    }

    /// What the list says without a line.
    pub(crate) fn empty(&self) -> &'static str {
        match self.report {
            None => "Measuring ...",
            Some(_) => "No customer wrote in these days, as far as this desk has read.",
        }
    }

    /// What was measured has come; what is not wanted any more is dropped.
    pub(crate) fn measured(&mut self, query: &LevelsQuery, report: LevelsReport) {
        if self.asked.as_ref() == Some(query) {
            self.report = Some(report);
        }
    }

    /// A letter in the list.
    pub(crate) fn letter(&mut self, letter: char, desk: &Desk, context: &mut Context) {
        match letter {
            'm' => self.measure = self.measure.next(),
            'd' => {
                self.days = (self.days + 1) % DAYS.len();
                self.ask(desk, context);
            }
            _ => (),
        }
    }

    /// Measures anew.
    pub(crate) fn ask(&mut self, desk: &Desk, context: &mut Context) {
        self.report = None;
        let channels = desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect();
        let now = context.now;
        let since = now.plus(-DAYS[self.days] * DAY);
        let targets = context.settings.targets.clone();
        let query = LevelsQuery { channels, since, until: now, now, targets };
        self.asked = Some(query.clone());
        context.push(Effect::Load(Load::ServiceLevels(query, context.settings.zone.clone())));
    }

    /// The lines of the list: all, then by channel, hour and person.
    pub(crate) fn lines(&self, desk: &Desk) -> Vec<ListLine> {
        let Some(report) = self.report.as_ref().filter(|report| report.all.cases > 0) else {
            return Vec::new();
        };
        let channels =
            report.channels.iter().filter(|channel| channel.1.cases > 0).filter_map(|(channel, levels)| {
                let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel)?;
                Some((tab.channel.name.to_string(), levels))
            });
        let hours = report.hours.iter().map(|(hour, levels)| (format!("{hour:02}:00"), levels));
        let people = report.people.iter().map(|(person, levels)| (person.to_string(), levels));
        let groups: Vec<_> = std::iter::once(("all".to_owned(), &report.all))
            .chain(channels)
            .chain(hours)
            .chain(people)
            .map(|(name, levels)| (name, self.measure.of(levels), levels.cases))
            .collect();
        let longest = groups.iter().filter_map(|group| group.1.0).max().unwrap_or(0).max(1);
        groups
            .into_iter()
            .map(|(name, (long, words), cases)| line(&name, &words, bar(long, longest), cases))
            .collect()
    }
}

/// A bar that is at least one cell where there is something to show.
fn bar(long: Option<i64>, longest: i64) -> String {
    let cells = long.filter(|long| *long > 0).map_or(0, |long| (long * BAR / longest).max(1));
    "#".repeat(usize::try_from(cells).unwrap_or(0))
}

fn line(name: &str, words: &str, bar: String, cases: usize) -> ListLine {
    let cases = if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
    let width = usize::try_from(BAR).unwrap_or(0);
    ListLine {
        name: SafeText::line(name),
        words: SafeText::line(&format!("{words} · {cases}")),
        right: format!("{bar:<width$}"),
        loud: false,
        dim: false,
        goes_to: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_what_they_show() {
        let table =
            [(None, 10, 0), (Some(0), 10, 0), (Some(1), 1_000, 1), (Some(5), 10, 8), (Some(10), 10, 16)];
        for (long, longest, cells) in table {
            assert_eq!(bar(long, longest).len(), cells, "{long:?} of {longest}");
        }
    }

    #[test]
    fn shares_are_told_of_what_they_are_a_share() {
        assert_eq!(share(0, 0), (None, "none yet".to_owned()));
        assert_eq!(share(1, 3), (Some(33), "33%, 1 of 3".to_owned()));
    }
}
