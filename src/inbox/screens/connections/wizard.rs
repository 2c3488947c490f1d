//! A new connection, step by step: what is filled in, a live call, and what
//! of its answer is shown. Nothing is kept before the call has worked, and
//! the credential is seen by nobody: it is typed behind dots.

use std::fmt;

use crate::components::text_line::TextLine;
use model::connections::identity::ContactField;
use model::connections::mapping::MappingCandidate;
use model::connections::parameters::{Parameter, ParameterPlace, ParameterSource, ValueKind};
use model::connections::review::describe_mistakes;
use model::connections::{Auth, Connection, ConnectionEndpoint, ContactFacts, EndpointMethod, target};
use model::secret::Secret;

/// What can be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WizardField {
    Name,
    BaseUrl,
    /// A host in a private network it may reach.
    PrivateHost,
    /// The kind of authentication; arrows choose.
    Auth,
    /// A header's or parameter's name, or a user's or client's.
    Who,
    TokenUrl,
    /// The credential.
    Secret,
    /// What its first endpoint is called.
    Endpoint,
    Path,
    Query,
}

impl WizardField {
    const ALL: [Self; 10] = [
        Self::Name,
        Self::BaseUrl,
        Self::PrivateHost,
        Self::Auth,
        Self::Who,
        Self::TokenUrl,
        Self::Secret,
        Self::Endpoint,
        Self::Path,
        Self::Query,
    ];

    /// What stands below the form while it is filled in.
    pub fn help(self) -> &'static str {
        match self {
            Self::Name => "Letters, digits, _ and -: {name.field} stands for its answers in replies.",
            Self::BaseUrl => "What all its paths begin with: https://api.example.com/v1",
            Self::PrivateHost => {
                "Only if it is in your own network: the very host, such as orders.internal:8080."
            }
            Self::Auth => "← → choose how it is told who asks.",
            Self::Who => "As the other side calls it.",
            Self::TokenUrl => "Where tokens are fetched: https://…/token",
            Self::Secret => "Not shown, kept sealed, and never shown again.",
            Self::Endpoint => "What is asked: orders, plan, deliveries.",
            Self::Path => "Below the address. {phone}, {email} or {chat_id} says who the customer is.",
            Self::Query => {
                "name=value&name=value; {phone} and the like stand for the contact's. May stay empty."
            }
        }
    }
}

/// A line whose text no debugger shows.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Hidden(pub TextLine);

impl Hidden {
    /// It was refused: what is typed next takes its place, and Enter tries it
    /// again.
    pub(crate) fn begin_anew(&mut self) {
        self.0 = TextLine::given(self.0.text(), 0);
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("••••")
    }
}

/// How far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WizardStep {
    Filling,
    /// The live call is on its way.
    Trying,
    /// What it answered, of which fields are picked.
    Picking {
        status: u16,
        picks: Vec<MappingCandidate>,
        taken: Vec<bool>,
        chosen: usize,
    },
    /// It is being kept.
    Saving,
}

/// A new connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wizard {
    values: Vec<TextLine>,
    pub(crate) secret: Hidden,
    pub(crate) auth: usize,
    pub focus: WizardField,
    /// How far it has come.
    pub step: WizardStep,
    /// What is wrong, if anything.
    pub wrong: Option<String>,
    /// Whether its first endpoint is asked by itself.
    pub automatic: bool,
    /// The contact the live call is about.
    pub with: String,
    pub(crate) facts: ContactFacts,
    /// Which live call is the last: the answer to an earlier one is not its.
    pub(crate) attempt: u32,
}

impl Wizard {
    pub(crate) fn new(facts: ContactFacts, with: String) -> Self {
        let mut values = vec![TextLine::default(); WizardField::ALL.len()];
        values[index(WizardField::BaseUrl)] = TextLine::new("https://");
        values[index(WizardField::Endpoint)] = TextLine::new("orders");
        values[index(WizardField::Path)] = TextLine::new("/");
        let secret = Hidden::default();
        let (focus, step) = (WizardField::Name, WizardStep::Filling);
        Self { values, secret, auth: 1, focus, step, wrong: None, automatic: true, with, facts, attempt: 0 }
    }

    /// Whether anything was typed that would be missed.
    pub(crate) fn has_words(&self) -> bool {
        let fresh = Self::new(ContactFacts::default(), String::new());
        let differs = |wizard_field: &WizardField| {
            !self.text(*wizard_field).is_empty() && self.text(*wizard_field) != fresh.text(*wizard_field)
        };
        !self.secret.0.is_empty() || WizardField::ALL.iter().any(differs)
    }

    pub(crate) fn name(&self) -> &str {
        self.text(WizardField::Name)
    }

    /// The entries that are asked for now, in their order.
    pub fn entries(&self) -> Vec<WizardField> {
        let auth = Auth::WORDS[self.auth];
        let is_asked = |wizard_field: &WizardField| match wizard_field {
            WizardField::Who => !matches!(auth, "none" | "bearer"),
            WizardField::TokenUrl => auth == "oauth2_client_credentials",
            WizardField::Secret => auth != "none",
            _ => true,
        };
        WizardField::ALL.into_iter().filter(is_asked).collect()
    }

    /// What stands before an entry.
    pub fn label(&self, entry: WizardField) -> &'static str {
        match (entry, Auth::WORDS[self.auth]) {
            (WizardField::Name, _) => "name",
            (WizardField::BaseUrl, _) => "address",
            (WizardField::PrivateHost, _) => "private host",
            (WizardField::Auth, _) => "authentication",
            (WizardField::Who, "api_key_query") => "parameter",
            (WizardField::Who, "basic_auth") => "user",
            (WizardField::Who, "oauth2_client_credentials") => "client id",
            (WizardField::Who, _) => "header",
            (WizardField::TokenUrl, _) => "token address",
            (WizardField::Secret, word) => secret_label(word),
            (WizardField::Endpoint, _) => "endpoint",
            (WizardField::Path, _) => "path",
            (WizardField::Query, _) => "query",
        }
    }

    /// An entry's text as it is shown: before the cursor and behind it.
    pub fn shown(&self, entry: WizardField) -> (String, String) {
        let dots = |text: &str| "•".repeat(text.chars().count());
        match entry {
            WizardField::Auth => (format!("{} ←→", Auth::WORDS[self.auth]), String::new()),
            WizardField::Secret => (dots(self.secret.0.before()), dots(self.secret.0.after())),
            other => {
                let line = &self.values[index(other)];
                (line.before().to_owned(), line.after().to_owned())
            }
        }
    }

    /// The line with the keyboard.
    pub fn line(&mut self) -> Option<&mut TextLine> {
        match (&self.step, self.focus) {
            (WizardStep::Filling, WizardField::Auth) => None,
            (WizardStep::Filling, WizardField::Secret) => Some(&mut self.secret.0),
            (WizardStep::Filling, other) => self.values.get_mut(index(other)),
            _ => None,
        }
    }

    fn text(&self, entry: WizardField) -> &str {
        self.values[index(entry)].text().trim()
    }

    pub(crate) fn secret(&self) -> Secret {
        Secret::new(self.secret.0.text())
    }

    /// The connection as it is filled in, with what was picked.
    pub(crate) fn connection(&self) -> Result<Connection, String> {
        let who = self.text(WizardField::Who).to_owned();
        let auth = match Auth::WORDS[self.auth] {
            "bearer" => Auth::Bearer,
            "api_key_header" => Auth::ApiKeyHeader { header: who },
            "api_key_query" => Auth::ApiKeyQuery { parameter: who },
            "basic_auth" => Auth::Basic { user: who },
            "oauth2_client_credentials" => Auth::ClientCredentials {
                token_url: self.text(WizardField::TokenUrl).to_owned(),
                client_id: who,
                scope: None,
            },
            "custom_header" => Auth::CustomHeader { header: who, prefix: String::new() },
            _ => Auth::None,
        };
        let path = self.text(WizardField::Path);
        let mut parameters = Vec::new();
        for place in target::placeholder_names(path).map_err(|why| why.to_string())? {
            parameters.push(parameter(place, ParameterPlace::Path, &format!("{{{place}}}"))?);
        }
        for pair in self.text(WizardField::Query).split('&').filter(|part| !part.trim().is_empty()) {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| format!("{pair:?} in the query has no ="))?;
            parameters.push(parameter(name.trim(), ParameterPlace::Query, value.trim())?);
        }
        let mut fields = Vec::new();
        if let WizardStep::Picking { picks, taken, .. } = &self.step {
            for (pick, _) in picks.iter().zip(taken).filter(|pair| *pair.1) {
                fields.push(pick.to_field(&fields));
            }
        }
        let endpoint = ConnectionEndpoint {
            name: self.text(WizardField::Endpoint).to_owned(),
            method: EndpointMethod::Get,
            path: path.to_owned(),
            instructions: String::new(),
            contact: vec![ContactField::default()],
            public: false,
            assistant_may_change: false,
            automatic: self.automatic,
            parameters,
            fields,
        };
        let private = self.text(WizardField::PrivateHost);
        let connection = Connection {
            auth,
            private_hosts: Some(private.to_owned()).filter(|text| !text.is_empty()).into_iter().collect(),
            endpoints: vec![endpoint],
            ..Connection::new(self.text(WizardField::Name), self.text(WizardField::BaseUrl))
        };
        match describe_mistakes(&connection).into_iter().next() {
            Some(why) => Err(why),
            None => Ok(connection),
        }
    }
}

/// A value as it was typed: `{phone}` is the contact's, anything else is
/// always the same.
fn parameter(name: &str, place: ParameterPlace, value: &str) -> Result<Parameter, String> {
    let source = match value.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        None => ParameterSource::Constant(value.to_owned()),
        Some(word) => ParameterSource::ContactField(ContactField::from_word(word).ok_or_else(|| {
            format!("{{{word}}} is not known: use {{phone}}, {{email}}, {{chat_id}} or {{metadata.NAME}}")
        })?),
    };
    Ok(Parameter { name: name.to_owned(), place, kind: ValueKind::Text, required: true, source })
}

/// What the credential of a kind of authentication is called.
pub(crate) fn secret_label(auth: &str) -> &'static str {
    match auth {
        "basic_auth" => "password",
        "bearer" => "token",
        "oauth2_client_credentials" => "client secret",
        "custom_header" => "header value",
        _ => "API key",
    }
}

fn index(entry: WizardField) -> usize {
    WizardField::ALL.iter().position(|wizard_field| *wizard_field == entry).unwrap_or(0)
}
