//! Data Connections: queries to the business's own HTTP interfaces. Plain data and rules; requests
//! are made elsewhere.
//!
//! | file | what |
//! |---|---|
//! | `identity.rs` | the contact a call is about; parameter values |
//! | `parameters.rs` | sources and validation of parameter values |
//! | `target.rs` | builds the URL from base URL, path and values |
//! | `path.rs` | paths into a JSON answer |
//! | `mapping.rs` | fields of an answer to show, their labels and formats |
//! | `formats.rs` | amounts and dates for people |
//! | `limit.rs` | calls a minute |
//! | `review.rs` | mistakes in the definition of a connection |
//! | `calls.rs` | one line of the call log |
//!
//! A connection never contains its credential, which is stored separately and sealed.

pub mod calls;
pub mod formats;
pub mod identity;
pub mod limit;
pub mod mapping;
pub mod mistake;
pub mod parameters;
pub mod path;
pub mod review;
pub mod target;

pub use calls::{CallLine, CallResult};
pub use identity::{ContactFacts, ContactField};
pub use mapping::{
    DisplayValue, FieldKind, MappedAnswer, MappedField, MappedValue, TableColumn, ValueFormat,
};
pub use parameters::{Parameter, ParameterPlace, ParameterSource, ValueKind};
pub use path::Path;

pub const DEFAULT_TIMEOUT_SECONDS: u32 = 10;
pub const DEFAULT_CALLS_PER_MINUTE: u32 = 60;
pub const MAX_CONNECTIONS: usize = 50;
pub const MAX_ENDPOINTS: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    pub description: String,
    /// Prefix of all endpoint paths.
    pub base_url: String,
    /// Timeout of a call in seconds, from name resolution to the last byte.
    pub timeout_seconds: u32,
    /// Maximum number of calls in any 60 seconds.
    pub per_minute: u32,
    pub auth: Auth,
    /// Private network hosts the connection may reach, written as in the URL: `orders.internal`,
    /// `10.0.0.5`, `127.0.0.1:8080`.
    pub private_hosts: Vec<String>,
    pub endpoints: Vec<ConnectionEndpoint>,
}

/// Authentication method. The secret is stored separately.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Auth {
    #[default]
    None,
    /// `Authorization: Bearer …`.
    Bearer,
    ApiKeyHeader {
        header: String,
    },
    ApiKeyQuery {
        parameter: String,
    },
    Basic {
        user: String,
    },
    /// OAuth 2.0 client credentials grant.
    ClientCredentials {
        token_url: String,
        client_id: String,
        scope: Option<String>,
    },
    /// A header with a custom prefix: `Authorization: Token …`.
    CustomHeader {
        header: String,
        /// Text before the secret.
        prefix: String,
    },
}

impl Auth {
    /// Words of all kinds, as in the interface.
    pub const WORDS: [&'static str; 7] = [
        "none",
        "bearer",
        "api_key_header",
        "api_key_query",
        "basic_auth",
        "oauth2_client_credentials",
        "custom_header",
    ];

    pub fn word(&self) -> &'static str {
        let index = match self {
            Self::None => 0,
            Self::Bearer => 1,
            Self::ApiKeyHeader { .. } => 2,
            Self::ApiKeyQuery { .. } => 3,
            Self::Basic { .. } => 4,
            Self::ClientCredentials { .. } => 5,
            Self::CustomHeader { .. } => 6,
        };
        Self::WORDS[index]
    }

    pub fn needs_secret(&self) -> bool {
        *self != Self::None
    }

    pub fn secret_name(&self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Bearer => "bearer token",
            Self::ApiKeyHeader { .. } | Self::ApiKeyQuery { .. } => "API key",
            Self::Basic { .. } => "password",
            Self::ClientCredentials { .. } => "client secret",
            Self::CustomHeader { .. } => "header value",
        }
    }
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum EndpointMethod {
        #[default]
        Get = "GET",
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
        Delete = "DELETE",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionEndpoint {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    pub method: EndpointMethod,
    /// Path below the base URL, with `{parameter}` placeholders.
    pub path: String,
    /// Usage notes in plain language, for assistants and people.
    pub instructions: String,
    /// Facts that identify the contact, in order of preference; the first that the contact's
    /// channel proves is used.
    pub contact: Vec<ContactField>,
    /// True if the answer is the same for every customer; the call then carries no customer data.
    pub public: bool,
    /// True if an assistant may propose a call that changes data. A person confirms each call.
    pub assistant_may_change: bool,
    /// True if opening a conversation calls the endpoint automatically.
    pub automatic: bool,
    pub parameters: Vec<Parameter>,
    pub fields: Vec<MappedField>,
}

impl ConnectionEndpoint {
    pub fn asked_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| matches!(parameter.source, ParameterSource::Asked(_)))
    }

    pub fn needs_no_input(&self) -> bool {
        self.asked_parameters().all(|parameter| !parameter.is_required())
    }

    /// True if the contact's channel proves the facts that identify the contact.
    pub fn is_identified_by(&self, facts: &ContactFacts) -> bool {
        self.parameters.iter().all(|parameter| match &parameter.source {
            ParameterSource::Contact => self.contact.iter().any(|field| facts.get(field).is_some()),
            ParameterSource::ContactField(field) => facts.get(field).is_some(),
            ParameterSource::Constant(_) | ParameterSource::Asked(_) => true,
        })
    }

    /// True if the endpoint only reads and the facts about the contact suffice for a call.
    pub fn is_readable_with(&self, facts: &ContactFacts) -> bool {
        self.method == EndpointMethod::Get && self.fill_parameters(facts, &[]).is_ok()
    }
}

impl Connection {
    pub fn endpoint(&self, name: &str) -> Option<&ConnectionEndpoint> {
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }

    /// Creates a connection with default settings.
    pub fn new(name: &str, base_url: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: String::new(),
            base_url: base_url.to_owned(),
            timeout_seconds: DEFAULT_TIMEOUT_SECONDS,
            per_minute: DEFAULT_CALLS_PER_MINUTE,
            auth: Auth::None,
            private_hosts: Vec::new(),
            endpoints: Vec::new(),
        }
    }

    /// Returns the scope a credential is bound to. If any part changes, the credential must be
    /// entered again.
    pub fn credential_scope(&self) -> String {
        let token_url = match &self.auth {
            Auth::ClientCredentials { token_url, .. } => token_url.as_str(),
            _ => "",
        };
        let origin = target::origin(&self.base_url).unwrap_or(&self.base_url);
        format!("{}\n{origin}\n{}\n{token_url}", self.name, self.auth.word())
    }
}
