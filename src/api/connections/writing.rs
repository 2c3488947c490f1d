//! Converts connections of the model to entries of a document.

use crate::connections::{
    AuthEntry, ColumnEntry, ContactEntry, EndpointEntry, Entry, FieldEntry, ParameterEntry,
};
use model::connections::identity::ContactField;
use model::connections::mapping::{FieldKind, MappedField, TableColumn, ValueFormat};
use model::connections::parameters::{Parameter, ParameterSource};
use model::connections::{Auth, Connection, ConnectionEndpoint};

pub(super) fn entry(it: &Connection) -> Entry {
    Entry {
        name: it.name.clone(),
        description: it.description.clone(),
        base_url: it.base_url.clone(),
        timeout_seconds: it.timeout_seconds,
        per_minute: it.per_minute,
        private_hosts: it.private_hosts.clone(),
        auth: match it.auth.clone() {
            Auth::None => AuthEntry::None,
            Auth::Bearer => AuthEntry::Bearer,
            Auth::ApiKeyHeader { header } => AuthEntry::ApiKeyHeader { header },
            Auth::ApiKeyQuery { parameter } => AuthEntry::ApiKeyQuery { parameter },
            Auth::Basic { user } => AuthEntry::BasicAuth { user },
            Auth::ClientCredentials { token_url, client_id, scope } => {
                AuthEntry::ClientCredentials { token_url, client_id, scope }
            }
            Auth::CustomHeader { header, prefix } => AuthEntry::CustomHeader { header, prefix },
        },
        endpoint: it.endpoints.iter().map(endpoint_entry).collect(),
    }
}

fn endpoint_entry(it: &ConnectionEndpoint) -> EndpointEntry {
    EndpointEntry {
        name: it.name.clone(),
        method: it.method.word().to_owned(),
        path: it.path.clone(),
        instructions: it.instructions.clone(),
        contact: match it.contact.as_slice() {
            [one] => ContactEntry::One(one.word()),
            several => ContactEntry::Several(several.iter().map(ContactField::word).collect()),
        },
        public: it.public,
        assistant_may_change: it.assistant_may_change,
        automatic: it.automatic,
        parameter: it.parameters.iter().map(parameter_entry).collect(),
        field: it.fields.iter().map(field_entry).collect(),
    }
}

fn parameter_entry(it: &Parameter) -> ParameterEntry {
    let mut entry = ParameterEntry {
        name: it.name.clone(),
        place: it.place.word().to_owned(),
        kind: it.kind.word().to_owned(),
        required: it.required,
        from: None,
        constant: None,
        ask: None,
    };
    match &it.source {
        ParameterSource::Contact => entry.from = Some("contact".to_owned()),
        ParameterSource::ContactField(field) => entry.from = Some(format!("contact.{}", field.word())),
        ParameterSource::Constant(text) => entry.constant = Some(text.clone()),
        ParameterSource::Asked(question) => entry.ask = Some(question.clone()),
    }
    entry
}

fn format_entry(format: &ValueFormat) -> (String, String) {
    match format {
        ValueFormat::Text => (String::new(), String::new()),
        ValueFormat::Date => ("date".to_owned(), String::new()),
        ValueFormat::Money { currency, minor } => {
            let word = if *minor { "cents" } else { "money" };
            (word.to_owned(), currency.clone().unwrap_or_default())
        }
    }
}

fn field_entry(it: &MappedField) -> FieldEntry {
    let (written, columns) = match &it.kind {
        FieldKind::Value(format) => (format_entry(format), Vec::new()),
        FieldKind::Table(columns) => (format_entry(&ValueFormat::Text), columns.clone()),
    };
    let column = |table_column: TableColumn| {
        let (format, currency) = format_entry(&table_column.format);
        ColumnEntry { label: table_column.label, path: table_column.path.to_string(), format, currency }
    };
    FieldEntry {
        name: it.name.clone(),
        label: if it.label == it.name { String::new() } else { it.label.clone() },
        path: it.path.to_string(),
        format: written.0,
        currency: written.1,
        column: columns.into_iter().map(column).collect(),
    }
}
