"""Providers of models on the loopback, in their four wire formats; the model behind them is a script.

``ModelStub()`` serves ``/anthropic``, ``/openai`` (Responses and Chat Completions) and ``/google``. It refuses what the
real APIs refuse: a wrong key, a missing header, a name that the provider does not take, an unknown model. So a request
that gets an answer here has the form that theirs need.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

KEY = "sk-stub-0123456789-abcdefghij-SECRET"
MODELS = ("claude-stub-1", "claude-opus-5", "gpt-stub-1", "gpt-5", "gemini-stub-1", "local")


@dataclass(frozen=True)
class Asked:
    """One request.

    Attributes:
        dialect: ``anthropic``, ``responses``, ``chat`` or ``google``.
        path: with query.
        headers: names in lower case.
        data: the body, byte for byte.
    """

    dialect: str
    path: str
    headers: Mapping[str, str]
    data: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.data)

    @property
    def model(self) -> str:
        if self.dialect == "google":
            return urlsplit(self.path).path.rpartition("/")[2].partition(":")[0]
        return str(self.body.get("model"))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Each tool as ``name``, ``description`` and ``schema``, whatever the format calls them."""
        listed = self.body.get("tools") or []
        if self.dialect == "google":
            listed = [tool for group in listed for tool in group["functionDeclarations"]]
        if self.dialect == "chat":
            listed = [tool["function"] for tool in listed]
        # Protobuf's JSON takes names of fields in both spellings.
        keys = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")
        return [
            {"name": t["name"], "description": t.get("description"), "schema": next(t[k] for k in keys if k in t)}
            for t in listed
        ]

    @property
    def question(self) -> str:
        """What the user says."""
        if self.dialect == "google":
            return self.body["contents"][-1]["parts"][-1]["text"]
        last = self.body["input" if self.dialect == "responses" else "messages"][-1]["content"]
        return last if isinstance(last, str) else last[-1]["text"]


@dataclass(frozen=True)
class Reply:
    """What the model does, or the server instead of it.

    Attributes:
        calls: name and arguments of each call; a string is sent as the text of the arguments.
        text: what the model says.
        refusal: the provider says that the model refused, in these words.
        filtered: the provider's filter took the answer.
        stop: ``length``: the model reached the most output tokens; ``malformed``: Google could not read a call.
        status: an error instead of an answer.
        error: the code or type of the error, if it is not the usual one for the status.
        message: of the error.
        retry_after: seconds in the header of an error.
        delay: seconds before the answer.
        keep: bytes of the body that are sent before the connection is closed.
        raw: the whole body.
        pad: bytes of white space after the body.
        unsized: the size of the body is not stated.
        tokens: input, output and cached tokens.
    """

    calls: Sequence[tuple[str, Any]] = ()
    text: str = ""
    refusal: str | None = None
    filtered: bool = False
    stop: str = ""
    status: int = 200
    error: str = ""
    message: str = ""
    retry_after: float | None = None
    delay: float = 0
    keep: int | None = None
    raw: bytes | None = None
    pad: int = 0
    unsized: bool = False
    tokens: tuple[int, int, int] = (100, 20, 0)


Script = Callable[[Asked], Reply]


@dataclass
class ModelStub:
    """Starts when it is entered.

    Attributes:
        script: what the model does at each request; a :class:`Reply` is one for all.
        asked: the requests, in order.
        models: the models that exist.
    """

    script: Script | Reply = field(default_factory=Reply)
    asked: list[Asked] = field(default_factory=list)
    models: Sequence[str] = MODELS

    def __enter__(self) -> ModelStub:
        outer = self

        class Handler(_Handler):
            stub = outer

        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def sleep(self, seconds: float) -> None:
        """Wait, but not longer than the test."""
        self._closing.wait(seconds)

    def reply(self, asked: Asked) -> Reply:
        return self.script if isinstance(self.script, Reply) else self.script(asked)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stub: ModelStub

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        dialect = _dialect(self.path)
        asked = Asked(dialect, self.path, headers, data)
        self.stub.asked.append(asked)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if not dialect:
                self.send(404, b"not found", None)
                return
            wrong = WRONG[dialect](asked, self.stub.models)
            self.finish_with(asked, wrong or self.stub.reply(asked))

    def finish_with(self, asked: Asked, reply: Reply) -> None:
        if reply.delay:
            self.stub.sleep(reply.delay)
        if reply.raw is not None:
            body = reply.raw
        elif reply.status != 200:
            body = json.dumps(_error(asked.dialect, reply)).encode()
        else:
            body = json.dumps(ANSWER[asked.dialect](asked, reply)).encode()
        self.send(reply.status, body + b" " * reply.pad, reply.keep, reply.retry_after, unsized=reply.unsized)

    def send(
        self, status: int, body: bytes, keep: int | None, retry_after: float | None = None, *, unsized: bool = False
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if unsized:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.send_header("request-id", "req_stub_1")
        if retry_after is not None:
            self.send_header("Retry-After", f"{retry_after:g}")
        self.end_headers()
        self.wfile.write(body[:keep])
        if keep is not None:
            self.close_connection = True
            self.wfile.flush()
            self.connection.shutdown(2)


def _dialect(path: str) -> str:
    path = urlsplit(path).path
    if path == "/anthropic/v1/messages":
        return "anthropic"
    if path == "/openai/v1/responses":
        return "responses"
    if path == "/openai/v1/chat/completions":
        return "chat"
    return "google" if re.fullmatch(r"/google/v1beta/models/[\w.-]+:generateContent", path) else ""


# ── what the APIs refuse ────────────────────────────────────────────────────────────────────────────────


ANTHROPIC_FIELDS = {"model", "max_tokens", "messages", "tools", "tool_choice", "temperature", "system", "stream"}
GOOGLE_FIELDS = {"contents", "tools", "toolConfig", "generationConfig", "systemInstruction"}


def _bad(message: str) -> Reply:
    return Reply(status=400, message=message)


def _wrong_anthropic(asked: Asked, models: Sequence[str]) -> Reply | None:
    body = asked.body
    if KEY not in (asked.headers.get("x-api-key"), asked.headers.get("authorization", "").removeprefix("Bearer ")):
        return Reply(status=401, message="invalid x-api-key")
    if not re.fullmatch(r"20\d\d-\d\d-\d\d", asked.headers.get("anthropic-version", "")):
        return _bad("anthropic-version: header is required")
    if body.get("model") not in models:
        return Reply(status=404, message=f"model: {body.get('model')}")
    if not isinstance(body.get("max_tokens"), int):
        return _bad("max_tokens: Field required")
    if extra := set(body) - ANTHROPIC_FIELDS:
        return _bad(f"{min(extra)}: Extra inputs are not permitted")
    if "opus-5" in body["model"] and "temperature" in body:
        return _bad("temperature: not supported by this model")
    return _wrong_anthropic_tools(body) or _duplicates(asked)


def _wrong_anthropic_tools(body: dict[str, Any]) -> Reply | None:
    for number, tool in enumerate(body.get("tools", ())):
        schema = tool.get("input_schema")
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"]):
            return _bad(f"tools.{number}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return _bad(f"tools.{number}.custom.input_schema.type: Input should be 'object'")
        if {"oneOf", "anyOf", "allOf"} & set(schema):
            return _bad(f"tools.{number}.custom.input_schema: does not support oneOf, allOf, or anyOf at the top level")
        for key in schema.get("properties", ()):
            if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", key):
                return _bad(f"tools.{number}.custom.input_schema.properties: Property keys should match pattern")
    return None


def _wrong_openai(asked: Asked, models: Sequence[str]) -> Reply | None:
    body = asked.body
    if asked.headers.get("authorization") != f"Bearer {KEY}":
        shown = asked.headers.get("authorization", "").removeprefix("Bearer ")
        # The real API shows the key, with stars in its middle; this one shows all of it.
        return Reply(status=401, error="invalid_api_key", message=f"Incorrect API key provided: {shown}.")
    if body.get("model") not in models:
        return Reply(status=404, error="model_not_found", message=f"The model `{body.get('model')}` does not exist")
    if asked.dialect == "chat" and str(body["model"]).startswith("gpt-5") and body.get("tools"):
        return _bad("Function tools with reasoning_effort are not supported in /v1/chat/completions.")
    if "temperature" in body and str(body["model"]).startswith("gpt-5"):
        return _bad("Unsupported parameter: 'temperature' is not supported with this model.")
    if len(body.get("tools", ())) > 128:
        return _bad("Invalid 'tools': array too long. Expected an array with maximum length 128.")
    for number, tool in enumerate(asked.tools):
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"]):
            return _bad(f"Invalid 'tools[{number}].name': string does not match pattern '^[a-zA-Z0-9_-]+$'.")
        schema = tool["schema"]
        if not isinstance(schema, dict) or schema.get("type") != "object" or "properties" not in schema:
            return _bad(f"Invalid schema for function '{tool['name']}': object schema missing properties")
    return _duplicates(asked)


def _wrong_google(asked: Asked, models: Sequence[str]) -> Reply | None:
    if asked.headers.get("x-goog-api-key") != KEY:
        return Reply(status=400, error="API_KEY_INVALID", message="API key not valid. Please pass a valid API key.")
    if asked.model not in models:
        return Reply(status=404, message=f"models/{asked.model} is not found for API version v1beta")
    if extra := set(asked.body) - GOOGLE_FIELDS:
        return _bad(f'Invalid JSON payload received. Unknown name "{min(extra)}": Cannot find field.')
    for tool in asked.tools:
        if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", tool["name"]):
            return _bad("Invalid function name. Must start with a letter or an underscore.")
    return _duplicates(asked)


def _duplicates(asked: Asked) -> Reply | None:
    names = [tool["name"] for tool in asked.tools]
    return _bad("tools: Tool names must be unique.") if len(set(names)) < len(names) else None


WRONG = {
    "anthropic": _wrong_anthropic,
    "responses": _wrong_openai,
    "chat": _wrong_openai,
    "google": _wrong_google,
}


# ── answers ─────────────────────────────────────────────────────────────────────────────────────────────


def _as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _anthropic(asked: Asked, reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(reply.calls)
    ]
    stop = "tool_use" if reply.calls else "end_turn"
    stop = "refusal" if reply.refusal is not None or reply.filtered else stop
    stop = "max_tokens" if reply.stop == "length" else stop
    used, made, cached = reply.tokens
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": f"{asked.model}-20260101",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": used - cached, "output_tokens": made, "cache_read_input_tokens": cached},
    }
    if reply.refusal:
        answer["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": reply.refusal}
    return answer


def _responses(asked: Asked, reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reply.text:
        content.append({"type": "output_text", "text": reply.text, "annotations": []})
    if reply.refusal is not None:
        content.append({"type": "refusal", "refusal": reply.refusal})
    output: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": name,
            "arguments": _as_text(arguments),
            "status": "completed",
        }
        for number, (name, arguments) in enumerate(reply.calls)
    ]
    if content:
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        output.insert(0, message)
    reason = "max_output_tokens" if reply.stop == "length" else "content_filter" if reply.filtered else None
    used, made, cached = reply.tokens
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_780_000_000,
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "model": f"{asked.model}-2026-01-01",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": used,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used + made,
        },
    }


def _chat(asked: Asked, reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": reply.refusal}
    if reply.calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": _as_text(arguments)}}
            for number, (name, arguments) in enumerate(reply.calls)
        ]
    stop = "tool_calls" if reply.calls else "stop"
    stop = "length" if reply.stop == "length" else "content_filter" if reply.filtered else stop
    used, made, cached = reply.tokens
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": f"{asked.model}-2026-01-01",
        "choices": [{"index": 0, "message": message, "finish_reason": stop, "logprobs": None}],
        "usage": {
            "prompt_tokens": used,
            "completion_tokens": made,
            "total_tokens": used + made,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


def _google(asked: Asked, reply: Reply) -> dict[str, Any]:
    used, made, cached = reply.tokens
    counted = {"promptTokenCount": used, "candidatesTokenCount": made, "totalTokenCount": used + made}
    if cached:
        counted["cachedContentTokenCount"] = cached
    answer: dict[str, Any] = {"usageMetadata": counted, "modelVersion": f"{asked.model}-001", "responseId": "r1"}
    if reply.filtered:
        return {**answer, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in reply.calls]
    stop = {"length": "MAX_TOKENS", "malformed": "MALFORMED_FUNCTION_CALL"}.get(reply.stop, "STOP")
    candidate: dict[str, Any] = {"index": 0, "finishReason": stop}
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    if reply.refusal is not None:
        candidate |= {"finishReason": "SAFETY", "finishMessage": reply.refusal}
    return {**answer, "candidates": [candidate]}


ANSWER = {"anthropic": _anthropic, "responses": _responses, "chat": _chat, "google": _google}

_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_OPENAI_CODES = {429: "rate_limit_exceeded"}
_GOOGLE_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def _error(dialect: str, reply: Reply) -> dict[str, Any]:
    message = reply.message or f"Error {reply.status}"
    if dialect == "anthropic":
        kind = reply.error or _ANTHROPIC_TYPES.get(reply.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_stub_1"}
    if dialect == "google":
        error: dict[str, Any] = {"code": reply.status, "message": message}
        error["status"] = _GOOGLE_STATUSES.get(reply.status, "INTERNAL")
        if reply.error:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            error["details"] = [{"@type": kind, "reason": reply.error, "domain": "googleapis.com"}]
        return {"error": error}
    kind = "invalid_request_error" if reply.status < 500 else "server_error"
    code = reply.error or _OPENAI_CODES.get(reply.status)
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
