//! `stats`: response times, responders and takeovers, from the local data; with `--by-person` the work of the team,
//! from its service.

mod by_person;

use anyhow::Result;
use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use serde_json::{Value, json};

use crate::cli::scripting::Files;
use crate::cli::{UsageError, completing, print};
use crate::shell::clock;
use model::filter::FilterDay;
use model::service_levels::{LevelsQuery, LevelsReport, ServiceLevels, Spans, TargetRate};
use model::time::{SECOND, Timestamp, Zone, format_precise_span};
use store::Reader;

/// The switches of `stats`.
#[derive(Debug, Args)]
pub struct StatsArguments {
    /// Only this channel, by its configured name.
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(completing::channels))]
    pub channel: Option<String>,
    /// Only cases that began on this day or later: today, yesterday, 7d or a date.
    #[arg(long, value_name = "DAY", default_value = "7d")]
    pub since: String,
    /// Only cases that began before this day; without it, until now.
    #[arg(long, value_name = "DAY")]
    pub until: Option<String>,
    /// Show what each person of the team did, as its service counted it.
    #[arg(long, conflicts_with = "channel")]
    pub by_person: bool,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

pub fn run(files: &Files, arguments: &StatsArguments) -> Result<()> {
    if arguments.by_person {
        return by_person::run(files, arguments);
    }
    let zone = clock::zone();
    let reader = files.store.reader()?;
    let (query, until) = query(files, &reader, arguments, &zone)?;
    let report = reader.service_levels(&query, &zone)?;
    let groups = groups(files, &reader, &report)?;
    if arguments.json {
        return print::json(&as_json(&query, groups));
    }
    let most = groups.iter().map(|group| group.2.chars().count()).max().unwrap_or(0);
    let until = until.map_or_else(|| "now".to_owned(), |time| time.local_timestamp(&zone));
    print::line(&format!("cases begun from {} to {until}", query.since.local_timestamp(&zone)))?;
    print::line(&line(
        "",
        most,
        &[
            "cases", "open", "answer", "9 in 10", "in time", "wait", "9 in 10", "solved", "9 in 10",
            "person", "back",
        ],
    ))?;
    for (_, _, label, levels) in groups {
        let words = level_columns(levels);
        print::line(&line(&label, most, &words.each_ref().map(String::as_str)))?;
    }
    Ok(())
}

/// Output of `stats --json`.
pub fn stats_to_json(files: &Files, reader: &Reader, arguments: &StatsArguments) -> Result<Value> {
    let zone = clock::zone();
    let (query, _) = query(files, reader, arguments, &zone)?;
    let report = reader.service_levels(&query, &zone)?;
    Ok(as_json(&query, groups(files, reader, &report)?))
}

fn query(
    files: &Files,
    reader: &Reader,
    arguments: &StatsArguments,
    zone: &Zone,
) -> Result<(LevelsQuery, Option<Timestamp>)> {
    let now = files.now();
    let channels = match files.channel(arguments.channel.as_deref())? {
        Some(channel) => vec![channel],
        None => {
            let mirrors = files.mirrored_channels(reader)?;
            let all = files.config.channels.iter().map(|channel| channel.id());
            all.filter(|channel_id| !mirrors.contains(channel_id)).collect()
        }
    };
    let start = |day: &str| start_of(day, now, zone);
    let until = arguments.until.as_deref().map(start).transpose()?;
    let since = start(&arguments.since)?;
    let targets = files.config.targets();
    Ok((LevelsQuery { channels, since, until: until.unwrap_or(now), now, targets }, until))
}

type LevelsGroup<'a> = (&'static str, Value, String, &'a ServiceLevels);

fn groups<'a>(files: &Files, reader: &Reader, report: &'a LevelsReport) -> Result<Vec<LevelsGroup<'a>>> {
    let mut groups = vec![("all", json!({}), "all".to_owned(), &report.all)];
    for (channel, levels) in &report.channels {
        let label = files.label(reader, channel)?;
        let told = json!({"channel": files.name_of(channel), "test": files.is_test(reader, channel)?});
        groups.push(("channels", told, label, levels));
    }
    for (hour, levels) in &report.hours {
        groups.push(("hours", json!({ "hour": hour }), format!("{hour:02}:00"), levels));
    }
    for (person, levels) in &report.people {
        groups.push(("people", json!({"person": person.as_str()}), person.to_string(), levels));
    }
    Ok(groups)
}

fn start_of(day: &str, now: Timestamp, zone: &Zone) -> Result<Timestamp> {
    let wrong =
        || UsageError(format!("{day:?} is not a day; use today, yesterday, 7d or a date such as 2026-11-20"));
    Ok(FilterDay::parse(day).ok_or_else(wrong)?.start(now, zone))
}

fn line(label: &str, width: usize, words: &[&str]) -> String {
    let cells: Vec<String> = words.iter().map(|word| format!("{word:>8}")).collect();
    format!("{label:<width$}{}", cells.concat())
}

fn level_columns(levels: &ServiceLevels) -> [String; 11] {
    let span = |span: Option<i64>| span.map_or_else(|| "-".to_owned(), format_precise_span);
    let share = |count: usize, of: usize| match of {
        0 => "-".to_owned(),
        of => format!("{}%", count * 100 / of),
    };
    let ServiceLevels { first_response, waiting, resolution, .. } = levels;
    [
        levels.cases.to_string(),
        levels.unanswered.to_string(),
        span(first_response.median),
        span(first_response.p90),
        levels.first_in_time.percent().map_or_else(|| "-".to_owned(), |percent| format!("{percent}%")),
        span(waiting.median),
        span(waiting.p90),
        span(resolution.median),
        span(resolution.p90),
        share(levels.handed_over, levels.cases),
        share(levels.handed_back, levels.handed_over),
    ]
}

fn as_json(query: &LevelsQuery, groups: Vec<LevelsGroup<'_>>) -> Value {
    let mut told = json!({
        "since": query.since.to_string(), "until": query.until.to_string(),
        "all": {}, "channels": [], "hours": [], "people": [],
    });
    for (list, mut item, _, levels) in groups {
        item["cases"] = levels.cases.into();
        item["unanswered"] = levels.unanswered.into();
        item["firstResponse"] = spans(&levels.first_response);
        item["firstResponse"]["inTime"] = in_time(levels.first_in_time);
        item["waiting"] = spans(&levels.waiting);
        item["waiting"]["inTime"] = in_time(levels.later_in_time);
        item["resolution"] = spans(&levels.resolution);
        item["handedOver"] = levels.handed_over.into();
        item["handedBack"] = levels.handed_back.into();
        match &mut told[list] {
            Value::Array(items) => items.push(item),
            one => *one = item,
        }
    }
    told
}

/// Answers within their target; null without a target.
fn in_time(rate: TargetRate) -> Value {
    match rate.of {
        0 => Value::Null,
        of => json!({"count": rate.within, "of": of, "percent": rate.percent()}),
    }
}

/// Durations in seconds.
fn spans(spans: &Spans) -> Value {
    let seconds = |span: Option<i64>| span.map(|span| span / SECOND);
    let Spans { count, median, p90, longest } = spans;
    json!({"count": count, "median": seconds(*median), "p90": seconds(*p90), "longest": seconds(*longest)})
}
