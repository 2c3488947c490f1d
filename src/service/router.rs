//! Routes of the service. Those below `/v1` are the paths of `api::paths`.

use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, patch, post, put};
use axum::{Extension, Router};

use crate::demo::shop_api;
use crate::gate;
use crate::handlers::{
    account, automation, broadcasts, contacts, conversations, dev, email, hooks, media, messages, openapi,
    team, telegram, templates, triggers, voip, webhooks,
};
use crate::health;
use crate::metrics;
use crate::request::MAX_MAIL_BYTES;
use crate::state::Service;

/// Builds the router: the interface, the `/dev` switches and the demo shop if enabled, and an `Error` answer
/// for any other path.
pub fn router(service: &Service) -> Router {
    let mut router = Router::new().nest("/v1", interface_routes(service).merge(open_routes()));
    if service.options.dev {
        router = router.nest("/dev", dev_routes());
    }
    if service.options.demo {
        router = router.nest("/shop", shop_api::routes());
    }
    router
        .merge(desk_routes(service))
        .merge(hooks::routes())
        .fallback(gate::not_found)
        .layer(from_fn_with_state(service.clone(), gate::outer_layer))
        // Outside `outer_layer`: probes need no known host and no rate limit.
        .merge(health::routes())
        .merge(metrics::routes())
        .with_state(service.clone())
}

/// Routes behind the gate.
fn interface_routes(service: &Service) -> Router<Service> {
    Router::new()
        .route("/account", get(account::read))
        .route("/messages/send", post(messages::send))
        .route("/messages", get(messages::list))
        .route("/messages/{messageId}", get(messages::read))
        .route("/messages/{messageId}/react", post(messages::react))
        .route("/conversations", get(conversations::list))
        .route("/conversations/{conversationId}", get(conversations::read).patch(conversations::patch))
        .route("/conversations/{conversationId}/messages", get(conversations::messages))
        .route("/conversations/{conversationId}/close", post(conversations::close))
        .route("/templates", get(templates::list))
        .route("/contacts", get(contacts::list).post(contacts::upsert))
        .route("/contacts/{contactId}", get(contacts::read).delete(contacts::delete))
        .route("/broadcast", post(broadcasts::create))
        .route("/broadcast/{broadcastId}", get(broadcasts::read))
        .route("/media", post(media::upload))
        .route("/telegram/send", post(telegram::send))
        .route("/telegram/conversations", get(telegram::conversations))
        .route("/telegram/conversations/{conversationId}/messages", get(telegram::messages))
        .route("/telegram/messages/{messageId}/react", post(telegram::react))
        .route("/email/account", get(email::account))
        .route("/email/send", post(email::send).layer(Extension(MAX_MAIL_BYTES)))
        .route("/email/threads", get(email::threads))
        .route("/email/threads/{threadId}", get(email::thread).patch(email::patch))
        .route("/email/contacts", get(email::contacts))
        .route("/voip/calls", post(voip::call))
        .route("/voip/sms", post(voip::sms))
        .route("/voip/conversations", get(voip::conversations))
        // One set of paths for chat channels, one for mail.
        .route("/webhooks", get(webhooks::list).post(webhooks::create))
        .route("/webhooks/{webhookId}", delete(webhooks::delete))
        .route("/email/webhooks", get(webhooks::list).post(webhooks::create))
        .route("/email/webhooks/{webhookId}", delete(webhooks::delete))
        .route("/triggers/new-message", get(triggers::new_message))
        .route("/triggers/new-contact", get(triggers::new_contact))
        .route("/triggers/new-order", get(triggers::new_order))
        .route("/triggers/new-appointment", get(triggers::new_appointment))
        .route("/triggers/campaign-completed", get(triggers::campaign_completed))
        .fallback(gate::not_found)
        .method_not_allowed_fallback(gate::wrong_method)
        .layer(from_fn_with_state(service.clone(), gate::interface_layer))
}

fn desk_routes(service: &Service) -> Router<Service> {
    Router::new()
        .route("/desk/v1", get(account::desk_service))
        .route("/desk/v1/sign-in", delete(team::sign_in::sign_out))
        .route("/desk/v1/channels", get(team::channels::list).post(team::channels::create_key))
        .route("/desk/v1/conversations", get(team::conversations::list))
        .route(
            "/desk/v1/conversations/{conversationId}/claim",
            put(team::conversations::claim).delete(team::conversations::release),
        )
        .route("/desk/v1/conversations/{conversationId}/notes", post(team::conversations::add_note))
        .route(
            "/desk/v1/conversations/{conversationId}/notes/{note}",
            patch(team::conversations::edit_note).delete(team::conversations::delete_note),
        )
        .route("/desk/v1/conversations/{conversationId}/tags", put(team::conversations::set_tags))
        .route("/desk/v1/conversations/{conversationId}/snooze", put(team::conversations::set_snooze))
        .route(
            "/desk/v1/conversations/{conversationId}/automation",
            get(automation::read).put(automation::write),
        )
        .route("/desk/v1/events", get(team::events::follow))
        .route("/desk/v1/presence", post(team::events::announce))
        .route("/desk/v1/people", get(team::people::list))
        .route("/desk/v1/templates", post(templates::submit))
        .route("/desk/v1/stats", get(team::stats::read))
        .route("/desk/v1/replies", get(team::replies::list))
        .route(
            "/desk/v1/replies/{name}",
            get(team::replies::read).put(team::replies::set).delete(team::replies::delete),
        )
        .method_not_allowed_fallback(gate::wrong_method)
        .layer(from_fn_with_state(service.clone(), gate::desk_layer))
        // Without a session.
        .route("/desk/v1/sign-in", post(team::sign_in::sign_in))
}

/// Routes of the interface without a key or rate limit.
fn open_routes() -> Router<Service> {
    Router::new()
        .route("/openapi.json", get(openapi::document))
        .route("/media/{id}/{filename}", get(media::serve))
        .method_not_allowed_fallback(gate::wrong_method)
}

fn dev_routes() -> Router<Service> {
    Router::new()
        .route("/inbound", post(dev::inbound::inbound))
        .route("/event", post(dev::event::event))
        .route("/clock", post(dev::clock))
        .route("/credits", post(dev::credits))
        .route("/keys/revoke", post(dev::revoke))
        .route("/fault", post(dev::fault::fault))
        .route("/outbound", post(dev::outbound))
        .fallback(gate::not_found)
        .method_not_allowed_fallback(gate::wrong_method)
        .layer(from_fn(gate::local_only_layer))
}
