//! Creation of a workspace: four channels with a live and a test key each, credits and templates. A new
//! database gets one.

use serde_json::Value;

use crate::database::channels::ChannelRow;
use crate::database::session::DbSession;
use crate::database::workspaces::Workspace;
use crate::database::{DatabaseError, channels, keys as stored, templates, workspaces};
use crate::demo::script;
use crate::keys;
use model::account::Environment;
use model::secret::Secret;
use model::time::Timestamp;
use platforms::{Channel, Template};

const INITIAL_CREDITS: i64 = 1_000;

/// New key, shown once.
#[derive(Debug, Clone)]
pub struct IssuedKey {
    /// Word of the channel kind: whatsapp, telegram, email or voip.
    pub channel: &'static str,
    pub environment: Environment,
    pub key: Secret,
}

/// Kind of world a service starts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedData {
    pub demo: bool,
    pub simulated: bool,
    pub dev: bool,
}

pub fn create_first(
    db: &dyn DbSession,
    world: SeedData,
    now: Timestamp,
) -> Result<Vec<IssuedKey>, DatabaseError> {
    let shop = script::shop();
    // A real business takes no names from the sample shop.
    let simulated = |value: &Value, name: &str| text_field(value, name).filter(|_| world.simulated);
    let balance =
        if world.demo { shop["credits"].as_i64().unwrap_or(INITIAL_CREDITS) } else { INITIAL_CREDITS };
    let (name, email) = (simulated(&shop["workspace"], "name"), simulated(&shop["workspace"], "email"));
    let workspace = Workspace { id: "ws_1".to_owned(), name, email, balance, suspended_at: None };
    fill_workspace(db, &workspace, "", simulated(&shop["assistant"], "name").as_deref(), now)
}

/// Adds a workspace to a database that has one, and returns its id and keys.
pub fn add_workspace(
    db: &dyn DbSession,
    name: Option<String>,
    now: Timestamp,
) -> Result<(String, Vec<IssuedKey>), DatabaseError> {
    let own = uuid::Uuid::now_v7().simple().to_string();
    let id = format!("ws_{own}");
    let workspace =
        Workspace { id: id.clone(), name, email: None, balance: INITIAL_CREDITS, suspended_at: None };
    let issued = fill_workspace(db, &workspace, &format!("_{own}"), None, now)?;
    let shop = script::shop();
    for kind in Channel::ALL {
        // Gets a simulated address if the first workspace has one.
        let simulated = simulated_address(kind, shop);
        let first = channels::find_by_kind(db, kind)?.and_then(|kind| kind.address);
        if let Some(address) = simulated.filter(|entry| first.as_ref() == Some(entry)) {
            channels::set_missing_address(db, kind, &address)?;
        }
    }
    Ok((id, issued))
}

fn text_field(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().map(str::to_owned)
}

/// Creates a workspace with its channels, keys and templates. `suffix` distinguishes its ids from those of
/// the first.
fn fill_workspace(
    db: &dyn DbSession,
    workspace: &Workspace,
    suffix: &str,
    assistant: Option<&str>,
    now: Timestamp,
) -> Result<Vec<IssuedKey>, DatabaseError> {
    workspaces::insert(db, workspace, now)?;
    let mut issued = Vec::new();
    for kind in Channel::ALL {
        let channel = ChannelRow {
            id: format!("ch_{}{suffix}", kind.word()),
            workspace: workspace.id.clone(),
            kind,
            name: None,
            assistant: format!("asst_{}{suffix}", kind.word()),
            assistant_name: assistant.map(str::to_owned),
            address: None,
            earlier_messages: 0,
            earlier_awaited_until: None,
        };
        channels::insert(db, &channel, now)?;
        if kind == Channel::Whatsapp {
            put_sample_templates(db, &channel.id)?;
        }
        for environment in [Environment::Live, Environment::Test] {
            let key = keys::generate(environment, &mut rand::rng());
            let key_id = format!("key_{}_{}{suffix}", kind.word(), environment.word());
            stored::insert(db, &key_id, &channel.id, environment, &key, now)?;
            issued.push(IssuedKey { channel: kind.word(), environment, key: Secret::new(&key.text) });
        }
    }
    Ok(issued)
}

fn put_sample_templates(db: &dyn DbSession, channel: &str) -> Result<(), DatabaseError> {
    for template in script::shop()["templates"].as_array().map_or(&[][..], Vec::as_slice) {
        let part = |name| text_field(template, name).unwrap_or_default();
        let template = Template {
            name: part("name"),
            language: part("language"),
            category: part("category"),
            status: part("status"),
            components: template["components"].to_string(),
            reason: None,
        };
        templates::put(db, channel, &template)?;
    }
    Ok(())
}

/// Gives each channel without an address its simulated one.
pub fn set_missing_addresses(db: &dyn DbSession) -> Result<(), DatabaseError> {
    for kind in Channel::ALL {
        if let Some(address) = simulated_address(kind, script::shop()) {
            channels::set_missing_address(db, kind, &address)?;
        }
    }
    Ok(())
}

fn simulated_address(kind: Channel, shop: &Value) -> Option<String> {
    let name = match kind {
        Channel::Whatsapp | Channel::Voip => "number",
        Channel::Telegram => "bot_username",
        Channel::Email => "email_address",
    };
    shop[name].as_str().map(str::to_owned)
}
