//! `stats --by-person`: what each person of the team did, from its service.

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::{StatsArguments, line, start_of};
use crate::cli::scripting::Files;
use crate::cli::unfinished::{CommandRefusal, RemainingState, Unfinished};
use crate::cli::{desk, folders, print, team};
use crate::shell::clock;
use client::{Client, RequestFailure};
use model::team::{PersonStatistics, TeamStatistics};
use model::time::{SECOND, Timestamp, format_precise_span};

pub fn run(files: &Files, arguments: &StatsArguments) -> Result<()> {
    let (zone, now) = (clock::zone(), files.now());
    let until = arguments.until.as_deref().map(|day| start_of(day, now, &zone)).transpose()?;
    let since = start_of(&arguments.since, now, &zone)?;
    let statistics = read(files, since, until)?;
    if arguments.json {
        return print::json(&to_json(&statistics));
    }
    let until = until.map_or_else(|| "now".to_owned(), |time| time.local_timestamp(&zone));
    print::line(&format!("work from {} to {until}", since.local_timestamp(&zone)))?;
    let widest = statistics.people.iter().map(|person| person.label().chars().count()).max().unwrap_or(0);
    print::line(&line("", widest, &["answers", "wait", "9 in 10", "taken", "done", "back", "has"]))?;
    for person in &statistics.people {
        let words = columns(person);
        print::line(&line(&person.label(), widest, &words.each_ref().map(String::as_str)))?;
    }
    Ok(())
}

fn read(files: &Files, since: Timestamp, until: Option<Timestamp>) -> Result<TeamStatistics> {
    let joined = team::joined(&folders::config()?, &files.config, false).map_err(|why| anyhow!(why))?;
    let Some(joined) = joined else {
        let words = "numbers by person need the service: this desk has joined no team; `frontdesk join URL` joins one";
        return Err(CommandRefusal::not_found(words).into());
    };
    let client = Client::new(&joined.base_url, &joined.session, files.clock.clone())?.for_person();
    let read = desk::runtime()?.block_on(client.read_team_statistics(since, until));
    read.map_err(|error| match RequestFailure::of_read(&error) {
        Some(failure) => Unfinished {
            failure: failure.of_sign_in(),
            remaining: RemainingState::Nothing,
            channel: joined.base_url,
            what: "could not read the numbers by person".to_owned(),
        }
        .into(),
        None => error.into(),
    })
}

fn columns(person: &PersonStatistics) -> [String; 7] {
    let span = |span: Option<i64>| span.map_or_else(|| "-".to_owned(), format_precise_span);
    [
        person.answers.to_string(),
        span(person.median),
        span(person.p90),
        person.taken.to_string(),
        person.done.to_string(),
        person.handed_back.to_string(),
        person.claim_count.to_string(),
    ]
}

fn to_json(statistics: &TeamStatistics) -> Value {
    let seconds = |span: Option<i64>| span.map(|span| span / SECOND);
    let person = |person: &PersonStatistics| {
        let waits =
            json!({"count": person.waits, "median": seconds(person.median), "p90": seconds(person.p90)});
        json!({
            "person": person.name.as_str(), "removed": person.is_removed, "taken": person.taken,
            "answers": person.answers, "firstAnswer": waits, "done": person.done,
            "handedBack": person.handed_back, "claimCount": person.claim_count,
        })
    };
    let people: Vec<Value> = statistics.people.iter().map(person).collect();
    json!({"since": statistics.since.to_string(), "until": statistics.until.to_string(), "people": people})
}
