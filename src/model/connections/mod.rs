//! Data Connections: the business's own data, asked for over its own HTTP
//! interface. What a connection and its endpoints are, as plain data.
//!
//! | file | what |
//! |---|---|
//! | `identity.rs` | who a call is about; gives each parameter its value |
//! | `parameters.rs` | where a value comes from, and whether it is of its kind |
//! | `target.rs` | base URL, path and values become one URL |
//! | `path.rs` | places in a JSON answer |
//! | `mapping.rs` | which places are shown, under which labels, and how |
//! | `formats.rs` | amounts and dates as people read them |
//! | `limit.rs` | how many calls a minute takes |
//! | `review.rs` | all that is wrong with a connection, in words |
//! | `calls.rs` | one line of the log of calls |
//!
//! A credential is never part of a connection: it is kept apart, sealed.

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

/// Seconds a call may take, unless a connection says otherwise.
pub const DEFAULT_TIMEOUT_SECONDS: u32 = 10;
/// Calls a minute, unless a connection says otherwise.
pub const DEFAULT_CALLS_PER_MINUTE: u32 = 60;
/// Connections there may be.
pub const MAX_CONNECTIONS: usize = 50;
/// Endpoints a connection may have.
pub const MAX_ENDPOINTS: usize = 50;

/// One HTTP interface of the business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// What it is called: letters, digits, `_` and `-`.
    pub name: String,
    pub description: String,
    /// What all its paths begin with.
    pub base_url: String,
    /// Seconds a call may take, from the lookup to the last byte.
    pub timeout_seconds: u32,
    /// Calls that may leave in any 60 seconds.
    pub per_minute: u32,
    /// How it is told who asks.
    pub auth: Auth,
    /// Hosts in private networks that it may reach, each named as the URL
    /// names it: `orders.internal`, `10.0.0.5`, `127.0.0.1:8080`.
    pub private_hosts: Vec<String>,
    pub endpoints: Vec<ConnectionEndpoint>,
}

/// How a connection is told who asks. The secret part is kept apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Auth {
    /// It is not.
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
    /// A user name and a password.
    Basic {
        user: String,
    },
    /// A token that is fetched for a client's id and secret.
    ClientCredentials {
        token_url: String,
        client_id: String,
        /// What the token is to allow.
        scope: Option<String>,
    },
    /// A header with a value of its own kind: `Authorization: Token …`.
    CustomHeader {
        header: String,
        /// What stands before the secret.
        prefix: String,
    },
}

impl Auth {
    /// The words for all kinds, as the interface lists them.
    pub const WORDS: [&'static str; 7] = [
        "none",
        "bearer",
        "api_key_header",
        "api_key_query",
        "basic_auth",
        "oauth2_client_credentials",
        "custom_header",
    ];

    /// The word of this kind.
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

    /// Whether it needs a secret.
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
    /// What is done at a path.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum EndpointMethod {
        /// Reads.
        #[default]
        Get = "GET",
        /// Asks with a body.
        Post = "POST",
        /// Replaces.
        Put = "PUT",
        /// Changes.
        Patch = "PATCH",
        Delete = "DELETE",
    }
}

/// One thing that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionEndpoint {
    /// What it is called: letters, digits, `_` and `-`.
    pub name: String,
    pub method: EndpointMethod,
    /// Below the base URL, with `{parameter}` where values go.
    pub path: String,
    /// When and how to use it, in plain language, for an assistant and for
    /// people.
    pub instructions: String,
    /// What identifies the contact there: the first of these that their
    /// channel proves.
    pub contact: Vec<ContactField>,
    /// Whether its answer is the same for everybody: then it is asked without
    /// saying who the customer is.
    pub public: bool,
    /// Whether an assistant may propose to call it although it changes
    /// something. A person confirms each call.
    pub assistant_may_change: bool,
    /// Whether the inbox asks by itself when a conversation is opened.
    pub automatic: bool,
    pub parameters: Vec<Parameter>,
    /// What of its answer is shown.
    pub fields: Vec<MappedField>,
}

impl ConnectionEndpoint {
    /// What a person has to fill in.
    pub fn asked_parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| matches!(parameter.source, ParameterSource::Asked(_)))
    }

    /// Whether it can be asked with nothing but what is known of a contact.
    pub fn needs_no_input(&self) -> bool {
        self.asked_parameters().all(|parameter| !parameter.is_required())
    }

    /// Whether the contact's channel proves what it identifies them with.
    pub fn is_identified_by(&self, facts: &ContactFacts) -> bool {
        self.parameters.iter().all(|parameter| match &parameter.source {
            ParameterSource::Contact => self.contact.iter().any(|field| facts.get(field).is_some()),
            ParameterSource::ContactField(field) => facts.get(field).is_some(),
            ParameterSource::Constant(_) | ParameterSource::Asked(_) => true,
        })
    }

    /// Whether it changes nothing and what is known of a contact is enough to
    /// ask it.
    pub fn is_readable_with(&self, facts: &ContactFacts) -> bool {
        self.method == EndpointMethod::Get && self.fill_parameters(facts, &[]).is_ok()
    }
}

impl Connection {
    pub fn endpoint(&self, name: &str) -> Option<&ConnectionEndpoint> {
        self.endpoints.iter().find(|endpoint| endpoint.name == name)
    }

    /// A connection with a name and an address, and all else as it is unless
    /// somebody says otherwise.
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

    /// What a credential is given for: it is not sent anywhere else, and has
    /// to be given anew when any of this changes.
    pub fn credential_scope(&self) -> String {
        let token_url = match &self.auth {
            Auth::ClientCredentials { token_url, .. } => token_url.as_str(),
            _ => "",
        };
        let origin = target::origin(&self.base_url).unwrap_or(&self.base_url);
        format!("{}\n{origin}\n{}\n{token_url}", self.name, self.auth.word())
    }
}
