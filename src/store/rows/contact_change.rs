//! A change of a contact as a JSON payload, and back.
//!
//! Knows nothing of what the server has.

use serde_json::{Value, json};

use crate::model::contacts::ContactChange;
use crate::model::outbox::content::Json;
use crate::store::rows::operation::Fields;

/// Writes it. What tells it from other wishes about a contact is `unset`,
/// which is always there. Values are kept as texts, so that they come back as
/// they were.
pub(crate) fn write(change: &ContactChange) -> Value {
    let set: Vec<[&str; 2]> = change.set.iter().map(|(name, value)| [name.as_str(), &value.0]).collect();
    json!({
        "phone": change.phone, "name": change.name, "email": change.email, "add": change.add,
        "remove": change.remove, "set": set, "unset": change.unset,
    })
}

/// Reads it; `None` for what this version does not know.
pub(crate) fn read(fields: &Fields<'_>) -> Option<ContactChange> {
    let pair = |it: &Value| {
        let [name, value] = it.as_array()?.as_slice() else { return None };
        Some((name.as_str()?.to_owned(), Json(value.as_str()?.to_owned())))
    };
    Some(ContactChange {
        phone: fields.text("phone")?,
        name: fields.text("name"),
        email: fields.text("email"),
        add: fields.texts("add")?,
        remove: fields.texts("remove")?,
        set: fields.0.get("set")?.as_array()?.iter().map(pair).collect::<Option<_>>()?,
        unset: fields.texts("unset")?,
    })
}
