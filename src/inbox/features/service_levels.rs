//! Response times as bars: one measure at a time, over some days. In a team also the statistics by person, as
//! counted by the service.

use crate::Inbox;
use crate::components::list::ListLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::overlays::listing;
use crate::wrap;
use model::service_levels::{LevelsQuery, LevelsReport, ServiceLevels, Spans, TargetRate};
use model::team::{PersonStatistics, TeamStatistics};
use model::text::SafeText;
use model::time::{DAY, Timestamp, format_precise_span};

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
    /// True if the statistics by person are shown instead of bars.
    is_by_person: bool,
    people: PeopleAnswer,
}

/// Statistics by person, as the service last answered.
#[derive(Debug, Default)]
struct PeopleAnswer {
    /// Begin of the period requested last.
    asked: Option<Timestamp>,
    last: Option<ReadStatistics>,
    /// Why the last request failed.
    trouble: Option<SafeText>,
}

#[derive(Debug)]
struct ReadStatistics {
    statistics: TeamStatistics,
    /// Index of its period.
    period: usize,
    /// Time of its arrival.
    at: Timestamp,
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

/// Stores the service's answer to the newest request; others are dropped.
pub(crate) fn receive_statistics(
    inbox: &mut Inbox,
    since: Timestamp,
    read: Result<TeamStatistics, SafeText>,
) {
    let chart = &mut inbox.features.service_levels;
    if chart.people.asked != Some(since) {
        return;
    }
    match read {
        Ok(statistics) => {
            let (period, at) = (chart.period, inbox.context.now);
            chart.people.last = Some(ReadStatistics { statistics, period, at });
            chart.people.trouble = None;
        }
        Err(why) => chart.people.trouble = Some(why),
    }
}

impl LevelsChart {
    pub(crate) fn title(&self) -> String {
        if self.is_by_person {
            return match PERIOD_DAYS[self.period] {
                1 => "By person · 24 hours".to_owned(),
                days => format!("By person · {days} days"),
            };
        }
        let days = match PERIOD_DAYS[self.period] {
            1 => "the last 24 hours".to_owned(),
            days => format!("the last {days} days"),
        };
        format!("{} · {days}", self.measure.label())
    }

    pub(crate) fn keys(&self) -> &'static str {
        match self.is_by_person {
            true => "d days · p bars · Esc",
            false => "m measure · d days · p people · Esc",
        }
    }

    pub(crate) fn empty_text(&self, context: &Context) -> &'static str {
        if self.is_by_person {
            return match context.settings.is_in_team {
                true => "Asking the service ...",
                false => "Numbers by person need the service. `frontdesk join URL` joins its team.",
            };
        }
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
            'm' if !self.is_by_person => self.measure = self.measure.next(),
            'p' => {
                self.is_by_person = !self.is_by_person;
                self.ask_service(context);
            }
            'd' => {
                self.period = (self.period + 1) % PERIOD_DAYS.len();
                self.load(desk, context);
            }
            _ => (),
        }
    }

    /// Asks the service for the statistics by person if they are shown.
    fn ask_service(&mut self, context: &mut Context) {
        if !self.is_by_person || !context.settings.is_in_team {
            return;
        }
        let since = context.now.plus(-PERIOD_DAYS[self.period] * DAY);
        self.people.asked = Some(since);
        self.people.trouble = None;
        context.push(SyncOrder::ReadTeamStatistics { since });
    }

    pub(crate) fn load(&mut self, desk: &Desk, context: &mut Context) {
        self.ask_service(context);
        self.report = None;
        let channels = desk.tabs.iter().map(|tab| tab.channel.id.clone()).collect();
        let now = context.now;
        let since = now.plus(-PERIOD_DAYS[self.period] * DAY);
        let targets = context.settings.targets.clone();
        let query = LevelsQuery { channels, since, until: now, now, targets };
        self.query = Some(query.clone());
        context.push(Effect::Load(Load::ServiceLevels(query, context.settings.zone.clone())));
    }

    pub(crate) fn lines(&self, desk: &Desk, context: &Context) -> Vec<ListLine> {
        if self.is_by_person { self.person_lines(context) } else { self.bars(desk) }
    }

    /// Lines for each person, as many as their numbers need. If the service did not answer, the first line
    /// says so and gives the age of the numbers.
    fn person_lines(&self, context: &Context) -> Vec<ListLine> {
        let last = self.people.last.as_ref().filter(|last| last.period == self.period);
        let trouble = self.people.trouble.as_ref().map(|why| {
            let name = match last {
                Some(last) => format!("As of {}", describe_time(last.at, context)),
                None => "No numbers".to_owned(),
            };
            text_line(&name, why.as_str(), true)
        });
        let people = last.map(|last| last.statistics.people.as_slice()).unwrap_or_default();
        let names = people
            .iter()
            .map(PersonStatistics::label)
            .chain(trouble.iter().map(|line| line.name.to_string()));
        let widest = names.map(|name| wrap::cells(&name)).max().unwrap_or(0);
        let room = listing::text_columns(context, widest);
        let person_lines = people.iter().flat_map(|person| {
            let names = std::iter::once(person.label()).chain(std::iter::repeat(String::new()));
            let lines = pack_facts(person_facts(person), room).into_iter().zip(names);
            lines.map(|(facts, name)| text_line(&name, &facts, person.is_removed)).collect::<Vec<_>>()
        });
        trouble.clone().into_iter().chain(person_lines).collect()
    }

    /// Lines: total, then by channel, hour and person.
    fn bars(&self, desk: &Desk) -> Vec<ListLine> {
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

/// Hour and minute of a time today, else the date.
fn describe_time(at: Timestamp, context: &Context) -> String {
    let zone = &context.settings.zone;
    let is_today = at.day_number(zone) == context.now.day_number(zone);
    if is_today { at.hour_and_minute(zone) } else { at.date(zone) }
}

/// Describes the work of a person, most important facts first.
fn person_facts(person: &PersonStatistics) -> Vec<String> {
    let mut facts = vec![match person.answers {
        0 => "no answers".to_owned(),
        1 => "1 answer".to_owned(),
        answers => format!("{answers} answers"),
    }];
    if let (Some(median), Some(p90)) = (person.median, person.p90) {
        facts.push(format!("median {} · p90 {}", format_precise_span(median), format_precise_span(p90)));
    }
    facts.push(format!("took {}", person.taken));
    facts.push(format!("done {}", person.done));
    facts.push(format!("handed back {}", person.handed_back));
    facts.push(format!("has {}", person.claim_count));
    facts
}

/// Joins facts to lines of at most `room` columns; a longer fact has a line of its own.
fn pack_facts(facts: Vec<String>, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        match lines.last_mut() {
            Some(line) if wrap::cells(line) + 3 + wrap::cells(&fact) <= room => {
                line.push_str(" · ");
                line.push_str(&fact);
            }
            _ => lines.push(fact),
        }
    }
    lines
}

fn text_line(name: &str, text: &str, dim: bool) -> ListLine {
    ListLine { dim, ..ListLine::new(name, text) }
}

fn chart_line(name: &str, words: &str, bar: String, cases: usize) -> ListLine {
    let cases = if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
    let width = usize::try_from(BAR_WIDTH).unwrap_or(0);
    ListLine { trailing: format!("{bar:<width$}"), ..ListLine::new(name, &format!("{words} · {cases}")) }
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
    fn facts_are_packed_into_lines_that_fit() {
        let facts = ["84 answers", "median 2m", "took 31"].map(str::to_owned);
        let cases: [(usize, &[&str]); 3] = [
            (80, &["84 answers · median 2m · took 31"]),
            (22, &["84 answers · median 2m", "took 31"]),
            (5, &["84 answers", "median 2m", "took 31"]),
        ];
        for (room, lines) in cases {
            assert_eq!(pack_facts(facts.to_vec(), room), lines, "{room} columns");
        }
    }

    #[test]
    fn shares_are_told_of_what_they_are_a_share() {
        assert_eq!(share_bar(0, 0), (None, "none yet".to_owned()));
        assert_eq!(share_bar(1, 3), (Some(33), "33%, 1 of 3".to_owned()));
    }
}
