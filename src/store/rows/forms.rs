//! How the model's types are kept as JSON. Each is declared once as a form,
//! with the names and tags it has in a file; the model knows nothing of them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use model::ids::{ContactId, MessageId, ThreadId, WebhookId};

/// Keeps types of the model in the forms declared for them.
macro_rules! kept_as {
    ($($model:ty: $form:ident),* $(,)?) => {
        $(impl serde::Serialize for $model {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $form::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $model {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $form::deserialize(from)
            }
        })*
    };
}

pub(crate) use kept_as;

macro_rules! ids {
    ($($id:ident),*) => {
        $(impl Serialize for $id {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $id {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from).map(Self::new)
            }
        })*
    };
}

ids!(ContactId, MessageId, ThreadId, WebhookId);
