//! `search`: messages, threads, texts and contacts by words, in the local data. Works offline unless
//! `--refresh` is given.

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::scripting::{Common, Files, Session};
use crate::cli::{UsageError, print};
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::search::{ListedHit, NoteHit, SearchHit, SearchPage, SearchQuery, Terms};
use model::text::SafeText;
use store::Reader;

/// The switches of `search`.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// Words to search for: each is the beginning of a word, and all must be found.
    #[arg(required = true)]
    pub words: Vec<String>,
    /// Maximum number of messages, of threads and of SMS, newest first.
    #[arg(long, default_value_t = 50, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// Fetch new messages from the servers first.
    #[arg(long)]
    pub refresh: bool,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(files: Files, arguments: &SearchArguments) -> Result<()> {
    let text = arguments.words.join(" ");
    if Terms::parse(&text).is_empty() {
        return Err(UsageError(format!("no words to search for in {text:?}")).into());
    }
    let channel = files.channel(arguments.common.channel.as_deref())?;
    let files = if arguments.refresh { refresh_files(files, arguments)? } else { files };
    // A script searches once, so the index must be complete.
    files.store.finish_index()?;
    let query = SearchQuery { text, channel, limit: arguments.limit, ..SearchQuery::default() };
    let reader = files.store.reader()?;
    let mut page = reader.search(&query)?;
    let mut listed = reader.search_listed(&query)?;
    if query.channel.is_none() {
        let mirrors = files.mirrored_channels(&reader)?;
        page.people.retain(|(channel, _)| !mirrors.contains(channel));
        page.notes.retain(|note| !mirrors.contains(&note.channel));
        page.hits.retain(|hit| !mirrors.contains(&hit.channel));
        listed.retain(|listed_hit| !mirrors.contains(&listed_hit.channel));
    }
    // A text sent from here is also a message: listed once.
    listed.retain(|listed_hit| !page.hits.iter().any(|hit| is_same_hit(hit, listed_hit)));
    if arguments.common.json {
        return print::json(&search_to_json(&files, &reader, &page, &listed)?);
    }
    let found = page.people.len() + page.notes.len() + listed.len() + page.hits.len();
    print::empty(found == 0, "matches");
    for (channel, row) in &page.people {
        let line = print::conversation_line(&files.label(&reader, channel)?, row, files.now());
        print::line(&format!("person\t{line}"))?;
    }
    page.notes
        .iter()
        .try_for_each(|hit| print::line(&note_line(&files.label(&reader, &hit.channel)?, hit)))?;
    listed.iter().try_for_each(|hit| print::line(&listed_line(&files.label(&reader, &hit.channel)?, hit)))?;
    page.hits.iter().try_for_each(|hit| print::line(&hit_line(&files.label(&reader, &hit.channel)?, hit)))
}

pub fn search_to_json(
    files: &Files,
    reader: &Reader,
    page: &SearchPage,
    listed: &[ListedHit],
) -> Result<Value> {
    let is_test = |channel: &ChannelId| files.is_test(reader, channel);
    let tested = |channel: &ChannelId, mut item: Value| {
        item["test"] = is_test(channel)?.into();
        Ok(item)
    };
    let person = |(channel, row): &(ChannelId, ConversationRow)| {
        Ok(print::conversation_json(&files.name_of(channel), is_test(channel)?, row))
    };
    let people = page.people.iter().map(person).collect::<Result<Vec<Value>>>()?;
    let messages = page.hits.iter().map(|hit| tested(&hit.channel, hit_json(files, hit)));
    let messages = messages.collect::<Result<Vec<Value>>>()?;
    let notes = page.notes.iter().map(|hit| tested(&hit.channel, note_json(files, hit)));
    let notes = notes.collect::<Result<Vec<Value>>>()?;
    let listed = listed.iter().map(|hit| tested(&hit.channel, listed_json(files, hit)));
    let listed = listed.collect::<Result<Vec<Value>>>()?;
    let more = page.next.is_some();
    Ok(json!({"people": people, "notes": notes, "conversations": listed, "messages": messages, "more": more}))
}

fn is_same_hit(hit: &SearchHit, listed: &ListedHit) -> bool {
    (&hit.channel, &hit.conversation) == (&listed.channel, &listed.conversation)
        && listed.snippet.text.as_str().ends_with(hit.snippet.text.as_str())
}

fn refresh_files(files: Files, arguments: &SearchArguments) -> Result<Files> {
    let name = arguments.common.channel.as_deref();
    let session = Session::open(files, name, arguments.common.timeout)?;
    let channels = session.unmirrored_channels(name)?;
    session.for_each_channel(channels, |channel| {
        if session.platform(channel)?.has_conversations() { session.refresh(channel) } else { Ok(()) }
    })?;
    Ok(session.files.clone())
}

/// Kind of a list hit: mail thread, or newest call or text of a phone.
fn kind(hit: &ListedHit) -> &'static str {
    if hit.is_mail { "thread" } else { "phone" }
}

fn listed_json(files: &Files, hit: &ListedHit) -> Value {
    let marks: Vec<[usize; 2]> = hit.snippet.marks.iter().map(|mark| [mark.start, mark.end]).collect();
    json!({
        "kind": kind(hit),
        "channel": files.name_of(&hit.channel),
        "conversation": hit.conversation.as_str(),
        "name": hit.title.as_str(),
        "lastMessageAt": hit.at.map(|at| at.to_string()),
        "subject": hit.is_mail.then(|| hit.snippet.text.as_str()),
        "snippet": hit.snippet.text.as_str(),
        "marks": marks,
    })
}

fn listed_line(label: &str, hit: &ListedHit) -> String {
    let at = hit.at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    print::columns(&[
        kind(hit),
        hit.conversation.as_str(),
        label,
        hit.title.as_str(),
        "-",
        &at,
        "-",
        hit.snippet.text.as_str(),
    ])
}

fn note_json(files: &Files, hit: &NoteHit) -> Value {
    json!({
        "channel": files.name_of(&hit.channel),
        "conversation": hit.conversation.as_str(),
        "name": hit.title.as_str(),
        "id": hit.note.as_str(),
        "createdAt": hit.at.to_string(),
        "snippet": hit.snippet.text.as_str(),
    })
}

fn note_line(label: &str, hit: &NoteHit) -> String {
    let columns = [
        "note".to_owned(),
        hit.conversation.to_string(),
        label.to_owned(),
        hit.title.to_string(),
        hit.note.to_string(),
        hit.at.to_string(),
        "note".to_owned(),
        hit.snippet.text.to_string(),
    ];
    print::columns(&columns)
}

fn hit_json(files: &Files, hit: &SearchHit) -> Value {
    let marks: Vec<[usize; 2]> = hit.snippet.marks.iter().map(|mark| [mark.start, mark.end]).collect();
    json!({
        "channel": files.name_of(&hit.channel),
        "conversation": hit.conversation.as_str(),
        "name": hit.title.as_str(),
        "id": hit.message.as_str(),
        "direction": hit.direction.word(),
        "sender": print::sender_word(&hit.sender),
        "agent": hit.agent.as_ref().map(|agent| agent.name.as_str()),
        "subject": hit.subject.as_ref().map(SafeText::as_str),
        "createdAt": hit.at.map(|at| at.to_string()),
        "snippet": hit.snippet.text.as_str(),
        "marks": marks,
    })
}

fn hit_line(label: &str, hit: &SearchHit) -> String {
    let columns = [
        "message".to_owned(),
        hit.conversation.to_string(),
        label.to_owned(),
        hit.title.to_string(),
        hit.message.to_string(),
        hit.at.map_or_else(|| "-".to_owned(), |at| at.to_string()),
        print::speaker_name(&hit.sender, hit.agent.as_ref()),
        hit.snippet.text.to_string(),
    ];
    print::columns(&columns)
}
