//! `frontdesk connection add`: asks for missing values, makes a live call, lets the fields be chosen from its
//! answer, and only then stores the connection and its credential.

use std::fmt::Write;

use serde_json::json;

use crate::cli::asking::{MAX_RETRIES, Question, prompt_error, repeat};
use crate::cli::connection::description::{EnteredEndpoint, describe_connection};
use crate::cli::connection::store::{ConnectionStore, check, is_about_credential};
use crate::cli::connection::{AddArguments, EndpointArguments, TrialArguments, print_call};
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, print};
use crate::shell::prompt;
use inbox::wrap;
use model::connections::mapping::MappingCandidate;
use model::connections::{Connection, MappedField, Path};
use model::secret::Secret;
use model::text::SafeText;
use net::connections::{CallError, EndpointResponse, answers};

/// Columns of a field that can be chosen.
const CANDIDATE_COLUMNS: usize = 68;

struct TestedConnection {
    connection: Connection,
    secret: Option<Secret>,
    answer: EndpointResponse,
}

pub fn run(arguments: &AddArguments) -> Result<(), CliError> {
    let wanted = parse_paths(&arguments.fields)?;
    let store = ConnectionStore::open()?;
    let connection = describe_connection(arguments, &store)?;
    let TestedConnection { mut connection, secret, answer } = test_connection(arguments, &store, connection)?;
    let fields = choose_fields(&connection.name, &wanted, &answers::picks(&answer.body))?;
    let automatic = !arguments.by_hand && ask_automatic()?;
    for endpoint in &mut connection.endpoints {
        endpoint.fields.clone_from(&fields);
        endpoint.automatic = automatic;
    }
    check(&connection).map_err(|why| not_added(&connection.name, &why))?;
    store.add(&connection, secret.as_ref())?;
    Ok(print_added(arguments, &store, &connection, &answer)?)
}

fn not_added(name: &str, why: &str) -> CliError {
    CliError::Failed(CommandRefusal::refused(format!("{name}: nothing was added: {why}")).into())
}

fn parse_paths(fields: &[String]) -> Result<Vec<Path>, CliError> {
    let parse = |text: &String| Path::parse(text).map_err(|why| CliError::Usage(format!("--field: {why}")));
    fields.iter().map(parse).collect()
}

/// Calls the endpoint. At a terminal a refused credential or an endpoint that does not answer as it should is
/// asked for again; all else that was entered is kept.
fn test_connection(
    arguments: &AddArguments,
    store: &ConnectionStore,
    mut connection: Connection,
) -> Result<TestedConnection, CliError> {
    let mut retries = if prompt::can_ask() { MAX_RETRIES } else { 0 };
    let mut entered = EnteredEndpoint::default();
    entered.ask(&arguments.endpoint, &mut connection)?;
    let mut facts = arguments.trial.facts(&connection.endpoints[0])?;
    connection.endpoints[0].fill_parameters(&facts, &[]).map_err(|why| {
        CliError::Usage(format!(
            "{why}: give --phone, --email, --chat-id or --metadata of a customer for the test call"
        ))
    })?;
    let mut secret = arguments.credential.read(&connection)?;
    loop {
        let called = store.call(&connection, &connection.endpoints[0], secret.as_ref(), &facts, &[]);
        let error = match called.answer {
            Ok(answer) => return Ok(TestedConnection { connection, secret, answer }),
            Err(error) => error,
        };
        let wants_credential = is_about_credential(&error);
        let is_final = match wants_credential {
            true => arguments.credential.max_retries() == 0,
            false => matches!(error, CallError::Fetch(_)),
        };
        if retries == 0 || is_final {
            let why = format!("test call of {} failed: {error}", connection.endpoints[0].name);
            return Err(not_added(&connection.name, &why));
        }
        retries -= 1;
        if wants_credential {
            let again = format!("{error}. Enter another credential; the other answers are kept.");
            prompt::print_wrapped(&again).map_err(prompt_error)?;
            secret = arguments.credential.read(&connection)?;
        } else {
            let again =
                format!("{error}. Enter the endpoint again; Enter alone keeps the value in brackets.");
            prompt::print_wrapped(&again).map_err(prompt_error)?;
            entered.ask(&EndpointArguments::default(), &mut connection)?;
            facts = TrialArguments::default().facts(&connection.endpoints[0])?;
        }
    }
}

/// Fields of the answer that the card shows: those of `--field`, else chosen at a terminal.
fn choose_fields(
    name: &str,
    wanted: &[Path],
    candidates: &[MappingCandidate],
) -> Result<Vec<MappedField>, CliError> {
    if candidates.is_empty() {
        return Err(not_added(name, "the answer has no field that can be shown"));
    }
    let paths: Vec<String> = candidates.iter().map(|candidate| candidate.path.to_string()).collect();
    let known = SafeText::line(&paths.join(", "));
    let chosen = if !wanted.is_empty() {
        let index = |path: &Path| {
            let found = candidates.iter().position(|candidate| candidate.path == *path);
            found.ok_or_else(|| {
                not_added(name, &format!("the answer has no field {path}; its fields: {known}"))
            })
        };
        wanted.iter().map(index).collect::<Result<_, _>>()?
    } else if prompt::can_ask() {
        ask_fields(candidates)?
    } else {
        let why = format!(
            "no field chosen: give --field for each field that the card shows; fields of the answer: {known}"
        );
        return Err(not_added(name, &why));
    };
    let mut fields = Vec::new();
    for index in chosen {
        fields.push(candidates[index].to_field(&fields));
    }
    Ok(fields)
}

/// Lists the candidates and asks which of them are shown; their indices.
fn ask_fields(candidates: &[MappingCandidate]) -> Result<Vec<usize>, CliError> {
    let mut list = String::from("Answer:\n");
    for (index, candidate) in candidates.iter().enumerate() {
        let MappingCandidate { path, sample, columns, .. } = candidate;
        let text = if columns.is_empty() {
            format!("{path} = {sample}")
        } else {
            let heads: Vec<&str> = columns.iter().map(|column| column.label.as_str()).collect();
            format!("{path}: {sample} of {}", heads.join(", "))
        };
        let text = wrap::cut(SafeText::line(&text).as_str(), CANDIDATE_COLUMNS);
        // Writing into a text does not fail.
        let _ = writeln!(list, "{:>4}  {text}", index + 1);
    }
    prompt::print_text(&list).map_err(prompt_error)?;
    let question =
        Question { text: "Fields to show on the card, such as 1,3", switch: "--field", default: None };
    repeat(true, |_| {
        let answer = question.resolve(None)?;
        let index = |word: &str| {
            let number: Option<usize> = word.trim().parse().ok();
            number.and_then(|number| number.checked_sub(1)).filter(|index| *index < candidates.len())
        };
        let chosen: Option<Vec<usize>> = answer.split(',').map(index).collect();
        Ok(chosen.ok_or_else(|| {
            CliError::Usage(format!("enter numbers from 1 to {}, separated by commas", candidates.len()))
        }))
    })
}

/// Asks whether the endpoint is called whenever a conversation is opened; yes without a terminal.
fn ask_automatic() -> Result<bool, CliError> {
    let text = "Call it whenever a conversation is opened? y/n";
    let question = Question { text, switch: "--by-hand", default: Some("y") };
    repeat(true, |_| {
        Ok(match question.resolve(None)?.to_lowercase().as_str() {
            "y" => Ok(true),
            "n" => Ok(false),
            _ => Err(CliError::Usage("answer y or n".to_owned())),
        })
    })
}

fn print_added(
    arguments: &AddArguments,
    store: &ConnectionStore,
    connection: &Connection,
    answer: &EndpointResponse,
) -> anyhow::Result<()> {
    let (name, endpoint, file) = (&connection.name, &connection.endpoints[0], store.path.display());
    if arguments.json {
        let fields: Vec<&str> = endpoint.fields.iter().map(|field| field.name.as_str()).collect();
        return print::json(&json!({
            "name": name, "endpoint": endpoint.name, "status": answer.status, "fields": fields,
            "file": file.to_string(),
        }));
    }
    print::line(&format!("{name}: {} answered with status {}", endpoint.name, answer.status))?;
    print_call::print_answer(answer, endpoint)?;
    print::line(&format!("connection {name:?} is in {file}; restart a running inbox to use it"))
}
