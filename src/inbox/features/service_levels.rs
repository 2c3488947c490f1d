//! Response times as bars: one measure at a time, over some days.

use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use model::service_levels::{LevelsQuery, LevelsReport, ServiceLevels, Spans, TargetRate};
use model::text::SafeText;
use model::time::{DAY, format_precise_span};

/// Cells of the longest bar.
const BAR_WIDTH: i64 = 16;
/// Periods in days, in the order of the key.
const PERIOD_DAYS: [i64; 3] = [7, 30, 1];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LevelsMeasure {
    #[default]
    FirstResponse,
    Waiting,
    Resolution,
    HandedOver,
    HandedBack,
}

#[derive(Debug, Default)]
pub(crate) struct LevelsChart {
    measure: LevelsMeasure,
    /// Index of the chosen period.
    period: usize,
    query: Option<LevelsQuery>,
    /// `None` until loaded.
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

    /// Length of the bar in any unit, and the text.
    fn bar_and_text(self, levels: &ServiceLevels) -> (Option<i64>, String) {
        match self {
            Self::FirstResponse => add_target_rate(span_bar(&levels.first_response), levels.first_in_time),
            Self::Waiting => add_target_rate(span_bar(&levels.waiting), levels.later_in_time),
            Self::Resolution => span_bar(&levels.resolution),
            Self::HandedOver => share_bar(levels.handed_over, levels.cases),
            Self::HandedBack => share_bar(levels.handed_back, levels.handed_over),
        }
    }
}

fn span_bar(spans: &Spans) -> (Option<i64>, String) {
    let words = match (spans.median, spans.p90) {
        (Some(half), Some(most)) => {
            format!("median {} · p90 {}", format_precise_span(half), format_precise_span(most))
        }
        _ => "none yet".to_owned(),
    };
    (spans.median, words)
}

/// Adds the share within the target, if there is one.
fn add_target_rate((bar, words): (Option<i64>, String), in_time: TargetRate) -> (Option<i64>, String) {
    match in_time.percent() {
        Some(percent) => (bar, format!("{words} · {percent}% in time")),
        None => (bar, words),
    }
}

fn share_bar(count: usize, of: usize) -> (Option<i64>, String) {
    let percent = (count * 100).checked_div(of).and_then(|checked_div| i64::try_from(checked_div).ok());
    let words =
        percent.map_or_else(|| "none yet".to_owned(), |percent| format!("{percent}%, {count} of {of}"));
    (percent, words)
}

impl LevelsChart {
    pub(crate) fn title(&self) -> String {
        let days = match PERIOD_DAYS[self.period] {
            1 => "the last 24 hours".to_owned(),
            days => format!("the last {days} days"),
        };
        format!("{} · {days}", self.measure.label())
    }

    pub(crate) fn empty_text(&self) -> &'static str {
        match self.report {
            None => "Measuring ...",
            Some(_) => "No customer messages in this period on this desk.",
        }
    }

    /// Stores a report; an unwanted one is dropped.
    pub(crate) fn receive_report(&mut self, query: &LevelsQuery, report: LevelsReport) {
        if self.query.as_ref() == Some(query) {
            self.report = Some(report);
        }
    }

    pub(crate) fn handle_letter(&mut self, letter: char, desk: &Desk, context: &mut Context) {
        match letter {
            'm' => self.measure = self.measure.next(),
            'd' => {
                self.period = (self.period + 1) % PERIOD_DAYS.len();
                self.load(desk, context);
            }
            _ => (),
        }
    }

    pub(crate) fn load(&mut self, desk: &Desk, context: &mut Context) {
        self.report = None;
        let channels = desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect();
        let now = context.now;
        let since = now.plus(-PERIOD_DAYS[self.period] * DAY);
        let targets = context.settings.targets.clone();
        let query = LevelsQuery { channels, since, until: now, now, targets };
        self.query = Some(query.clone());
        context.push(Effect::Load(Load::ServiceLevels(query, context.settings.zone.clone())));
    }

    /// Lines: total, then by channel, hour and person.
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
            .map(|(name, levels)| (name, self.measure.bar_and_text(levels), levels.cases))
            .collect();
        let longest = groups.iter().filter_map(|group| group.1.0).max().unwrap_or(0).max(1);
        groups
            .into_iter()
            .map(|(name, (long, words), cases)| chart_line(&name, &words, draw_bar(long, longest), cases))
            .collect()
    }
}

/// A bar, of at least one cell for a positive value.
fn draw_bar(long: Option<i64>, longest: i64) -> String {
    let cells = long.filter(|long| *long > 0).map_or(0, |long| (long * BAR_WIDTH / longest).max(1));
    "#".repeat(usize::try_from(cells).unwrap_or(0))
}

fn chart_line(name: &str, words: &str, bar: String, cases: usize) -> ListLine {
    let cases = if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
    let width = usize::try_from(BAR_WIDTH).unwrap_or(0);
    ListLine {
        name: SafeText::line(name),
        text: SafeText::line(&format!("{words} · {cases}")),
        trailing: format!("{bar:<width$}"),
        is_urgent: false,
        dim: false,
        target: None,
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
            assert_eq!(draw_bar(long, longest).len(), cells, "{long:?} of {longest}");
        }
    }

    #[test]
    fn shares_are_told_of_what_they_are_a_share() {
        assert_eq!(share_bar(0, 0), (None, "none yet".to_owned()));
        assert_eq!(share_bar(1, 3), (Some(33), "33%, 1 of 3".to_owned()));
    }
}
