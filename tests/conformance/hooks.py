"""What schemathesis has to know beyond the document: which key belongs to
which path, and data that exist. Hooks change only data that is valid by the
document; what is meant to be refused goes out as it was generated."""

import hashlib
import http.server
import itertools
import json
import os
import threading
import urllib.parse
import urllib.request

import schemathesis

READY = json.load(open(os.environ["CONFORMANCE_READY"]))
ENVIRONMENT = os.environ["CONFORMANCE_ENVIRONMENT"]
KEYS = {it["channel"]: it["key"] for it in READY["keys"] if it["environment"] == ENVIRONMENT}
LIVE = {it["channel"]: it["key"] for it in READY["keys"] if it["environment"] == "live"}
# Numbers the simulated operator treats as ordinary.
PHONE, CHAT, ADDRESS = "+34600111222", "48151623", "maria@mail.example"


# Keys --------------------------------------------------------------------

def channel_of(path):
    first = path.strip("/").split("/")[0]
    return {"telegram": "telegram", "email": "email", "voip": "voip"}.get(first, "whatsapp")


@schemathesis.auth(refresh_interval=None)
class KeyOfChannel:
    def get(self, case, context):
        path = case.operation.path
        if path in ("/account", "/media") or path.startswith("/triggers/"):
            # Every key may use these: which one follows from the case.
            return sorted(KEYS.values())[fingerprint(case) % len(KEYS)]
        return KEYS[channel_of(path)]

    def set(self, case, key, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {key}"


def fingerprint(case):
    text = repr((case.operation.label, case.path_parameters, case.query, case.body))
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[0]


# A server on this machine: files behind links, and webhooks that answer the
# challenge. `serve --dev` lets loopback addresses pass.

class Elsewhere(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        self.answer(asked.get("challenge", ["some bytes"])[0].encode())

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(b"")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
HERE = f"http://127.0.0.1:{SERVER.server_port}"


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """The document, as far as it can be told from what is on the wire."""
    # A part of a form is bytes, whatever it was before: no file has a wrong type.
    form = raw_schema["paths"]["/media"]["post"]["requestBody"]["content"]["multipart/form-data"]
    form["schema"]["properties"]["file"] = {}
    # With the loopback server's address valid data stay valid.
    for schema in raw_schema["components"]["schemas"].values():
        for field in everything_in(schema):
            if field.get("pattern") == "^https://":
                field["pattern"] = "^https?://"


def everything_in(value):
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from everything_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from everything_in(inner)


# Data that exist ----------------------------------------------------------

def call(url, body=None, key=None, method=None):
    request = urllib.request.Request(url, method=method)
    request.add_header("Content-Type", "application/json")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(request, data) as answer:
        return json.load(answer)


def dev(path, body):
    return call(READY["dev_url"] + path, body)


def api(path, channel="whatsapp", body=None, method=None):
    return call(READY["base_url"] + path, body, LIVE[channel], method)


def customer_writes(channel):
    """The window is open and there is a message to quote; its ids."""
    said = {"from": {"telegram": CHAT, "email": ADDRESS}.get(channel, PHONE), "channel": channel, "text": "Hello"}
    return dev("/inbound", {**said, "subject": "A question"} if channel == "email" else said)


dev("/credits", {"balance": 1_000_000_000})
for each in ("whatsapp", "telegram", "email", "voip"):
    customer_writes(each)
ASSISTANT = api("/account", "voip")["assistantId"]


def contact():
    """There, also when a test has just deleted it."""
    return api("/contacts", body={"phone": "+34600111333"})["id"]


BROADCAST = api("/broadcast", body={
    "contactIds": [contact()], "message": {"type": "text", "text": {"body": "We are open on Sunday."}},
})["broadcastId"]


def upload():
    edge = "edge"
    body = (f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\n\r\n'
            f"some bytes\r\n--{edge}--\r\n").encode()
    request = urllib.request.Request(READY["base_url"] + "/media", body)
    request.add_header("Content-Type", f"multipart/form-data; boundary={edge}")
    request.add_header("Authorization", f"Bearer {LIVE['whatsapp']}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["url"]


FILE = upload()


def existing(path):
    """Ids that are there, for the variable segments of a path."""
    channel = channel_of(path)
    if path.startswith("/media/"):
        return dict(zip(("id", "filename"), FILE.split("/")[-2:]))
    if path.startswith("/contacts/"):
        return {"contactId": contact()}
    if path.startswith("/broadcast/"):
        return {"broadcastId": BROADCAST}
    return customer_writes(channel)


NUMBERS = itertools.count()


def made(path):
    """The id of something new, to be deleted."""
    if path.startswith("/contacts/"):
        return {"contactId": api("/contacts", body={"phone": f"+3460022{next(NUMBERS):05}"})["id"]}
    webhooks = path.rsplit("/", 1)[0]
    make_room(webhooks)
    return {"webhookId": api(webhooks, channel_of(path), body={"url": f"{HERE}/hook"})["id"]}


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None or meta.generation.mode.is_negative:
        return
    path, method = case.operation.path, case.operation.method.lower()
    body = case.body if isinstance(case.body, dict) else None
    # Every other case names what is there; in a walk, links have seen to it.
    chance = fingerprint(case)
    if case.path_parameters and meta.phase.name.value != "stateful" and chance % 2 == 0:
        there = made(path) if method == "delete" else existing(path)
        case.path_parameters.update({name: there[name] for name in case.path_parameters if name in there})
    # Most idempotency keys are used once, or nearly all answers were 409.
    headers = case.headers or {}
    if "Idempotency-Key" in headers and chance % 8:
        headers["Idempotency-Key"] = f"{headers['Idempotency-Key'][:200]}-{next(NUMBERS)}"
    if method == "post" and path.endswith("/webhooks"):
        make_room(path)
    if body is not None:
        prepare = PREPARE.get((method, path))
        if prepare:
            prepare(body)
    if case.query and "cursor" in case.query:
        # Cursors are sealed: only one that was given out is valid.
        del case.query["cursor"]


def make_room(path):
    """A channel has at most 20 subscriptions; the oldest go."""
    channel = channel_of(path)
    kept = api(path, channel)["data"]
    for old in kept[:-5] if len(kept) > 15 else []:
        api(f"{path}/{old['id']}", channel, method="DELETE")


def use_link(fields, name="link"):
    fields[name] = f"{HERE}/note.mp3"


def use_template(fields):
    fields["name"], fields["language"]["code"] = "repair_ready", "es"
    fields["components"] = [{"type": "body", "parameters": [{"type": "text", "text": "Maria"}]}]


def prepare_content(body):
    kind = body["type"]
    if kind == "template":
        use_template(body["template"])
    elif kind in ("image", "audio", "video", "document"):
        use_link(body[kind])


def prepare_send(body):
    there = customer_writes("whatsapp")
    body["to"] = PHONE
    if body.get("replyTo"):
        body["replyTo"] = there["messageId"]
    prepare_content(body)


def prepare_broadcast(body):
    if body.get("contactIds"):
        body["contactIds"][0] = contact()
    else:
        body["contactIds"] = [contact()]
    prepare_content(body["message"])


def prepare_telegram(body):
    there = customer_writes("telegram")
    body["chatId"] = CHAT if isinstance(body["chatId"], str) else int(CHAT)
    if body.get("replyTo") not in (None, ""):
        body["replyTo"] = there["messageId"]
    marked = "text" if body.get("type", "text") in ("text", None) else "caption"
    if marked == "caption":
        use_link(body, "url")
    if body.get(marked):
        # Every mark is escaped; the text stays as short as it was.
        length = len(body[marked])
        if body.get("parseMode") == "MarkdownV2":
            plain = "".join("\\" + it if it in "_*[]()~`>#+-=|{}.!\\" else it for it in body[marked])
        else:
            plain = body[marked].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        body[marked] = plain if len(plain) <= length else body[marked].translate(NO_MARKS)


NO_MARKS = {ord(it): "x" for it in "_*[]()~`>#+-=|{}.!\\<&"}


def prepare_email(body):
    there = customer_writes("email")
    if body.get("threadId"):
        body["threadId"] = there["threadId"]
    for name, alias in (("text", "bodyText"), ("html", "bodyHtml")):
        if body.get(name) is not None and body.get(alias) is not None:
            body[alias] = body[name]
    for item in body.get("attachments") or []:
        if item.get("url"):
            use_link(item, "url")
    if body.get("headers"):
        body["headers"] = {f"X-{name}"[:76]: value for name, value in body["headers"].items()}


def prepare_voip(body):
    if body.get("channelId"):
        body["channelId"] = ASSISTANT


def prepare_reaction(body):
    if body["emoji"]:
        body["emoji"] = "👍"


def prepare_upload(body):
    # Other parts than the file are taken when there are few and their names
    # can stand in a header; neither can be said in the document.
    for name in [it for it in body if it != "file"]:
        del body[name]
    body["file"] = body["file"] or "some bytes"


def prepare_webhook(body):
    use_link(body, "url")


PREPARE = {
    ("post", "/messages/send"): prepare_send,
    ("post", "/messages/{messageId}/react"): prepare_reaction,
    ("post", "/broadcast"): prepare_broadcast,
    ("post", "/media"): prepare_upload,
    ("post", "/telegram/send"): prepare_telegram,
    ("post", "/email/send"): prepare_email,
    ("post", "/voip/calls"): prepare_voip,
    ("post", "/voip/sms"): prepare_voip,
    ("post", "/webhooks"): prepare_webhook,
    ("post", "/email/webhooks"): prepare_webhook,
}


# Nothing but the Error shape ----------------------------------------------

@schemathesis.check
def refusals_have_the_error_shape(ctx, response, case):
    if response.status_code < 400:
        return
    kind = (response.headers.get("content-type") or [""])[0]
    assert kind == "application/json", f"a refusal in {kind}"
    body = response.json()
    assert set(body) <= {"code", "message", "docs"}, f"fields beyond the Error shape: {body}"
    assert isinstance(body["code"], str) and isinstance(body["message"], str) and body["message"], f"{body}"
    for name in ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"):
        assert response.headers[name][0].isdigit(), name
