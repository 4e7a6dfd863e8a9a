"""Every failure leaves as ``{"error": {"message", "type", "param", "code"}}`` with a true status code."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from chunking.errors import CragError

STATUS = {
    "config_error": 400,
    "missing_extra": 501,
    "not_found": 404,
    "document_error": 422,
    "store_error": 503,
    "provider_error": 502,
}
"""Status by `CragError.kind`, as the error tree's drawing says."""

BODY_TOO_LARGE = "body_too_large"
_CODES = {413: BODY_TOO_LARGE, 408: "body_too_slow", 404: "unknown_url"}
KINDS = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
    503: "server_error",
}
"""The error's `type` by status, where it is not ``invalid_request_error``."""
_UNICODE = "Input should be Unicode text; half of a surrogate pair is none"
_MISSING = object()
_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}

logger = logging.getLogger("crag.api")


class ApiError(Exception):
    """A request that is refused. `param` names the field at fault, `code` is stable for programs."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code
        self.headers = headers


class ErrorDetail(BaseModel):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel):
    """Every failure."""

    error: ErrorDetail


_COMMON = (400, 401, 403, 429, 503)
_MEANS = {
    400: "The request cannot be understood.",
    401: "The key is missing or wrong.",
    403: "This host or origin may not ask here.",
    404: "What is named does not exist.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    415: "The body is of another type.",
    422: "The document cannot be read.",
    429: "The key has asked too much.",
    501: "An optional package is not installed.",
    502: "A model or search service failed.",
    503: "The server is busy, or its workspace cannot be read.",
}


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures of a route, for its description; those that any route may have are among them."""
    return {status: {"model": ErrorBody, "description": _MEANS[status]} for status in sorted({*statuses, *_COMMON})}


def error_body(message: str, kind: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def error_parts(error: Exception) -> tuple[int, dict[str, Any]]:
    """Status and body for any exception. What was not foreseen is logged, and tells a client nothing."""
    if isinstance(error, ApiError):
        kind = KINDS.get(error.status, "invalid_request_error")
        return error.status, error_body(str(error), kind, error.param, error.code)
    if isinstance(error, CragError):
        return STATUS.get(error.kind, 500), error_body(str(error), error.kind, code=error.kind)
    logger.error("unforeseen", exc_info=error)
    return 500, error_body("The server failed in a way that nobody foresaw; its log has the details.", "server_error")


def encodable(text: str) -> str:
    """`text` with U+FFFD for every half of a surrogate pair, which UTF-8 cannot carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def to_json(value: Any) -> str:
    """JSON that every client can read, in one line whatever it takes for a line's end (NEL, U+2028 and U+2029 too).

    Raises TypeError or ValueError for what JSON cannot hold.
    """
    return encodable(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))).translate(_ENDS)


def gone() -> Response:
    """For a client that reads nothing any more; nginx's number is what its log then says."""
    return Response(status_code=499)


class SafeJSONResponse(JSONResponse):
    def render(self, content: Any) -> bytes:
        return to_json(content).encode()


def install(app: FastAPI) -> None:
    """Register the handlers for every kind of failure."""

    async def told(request: Request, error: Exception) -> JSONResponse:
        status, body = error_parts(error)
        return SafeJSONResponse(body, status, getattr(error, "headers", None))

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return _refused(400, "The body is not valid JSON.")
        if first["loc"][0] in ("path", "query"):
            name = str(first["loc"][1])
            return _refused(400, f"{name}: {first['msg']}.", name)
        if isinstance(error.body, bytes):
            return _refused(415, "The body is not marked as JSON: send the header 'content-type: application/json'.")
        if error.body is None:
            return _refused(400, "The body is empty: send a JSON object.")
        param = _param(first["loc"][1:], error.body)
        message = _UNICODE if first["type"] == "string_unicode" else str(first["msg"]).removeprefix("Value error, ")
        return _refused(400, f"{param or 'body'}: {message}.", param)

    async def left(request: Request, error: Exception) -> Response:
        return gone()

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if isinstance(error.__cause__, ClientDisconnect):  # While FastAPI read its JSON.
            return gone()
        message = str(error.detail)
        if error.status_code == 404:
            message = (
                f"There is no {request.method} {request.url.path} here: chat clients take the base URL "
                f"{request.base_url}v1, which has chat/completions and models; GET /openapi.json lists the rest."
            )
        elif error.status_code == 405:
            message = f"{request.url.path} does not take {request.method}."
        elif isinstance(error.__cause__, RecursionError):
            message = "The body is JSON that nests too deeply: send a flat list of messages."
        elif isinstance(error.__cause__, ValueError):
            message = "The body cannot be read as JSON: send UTF-8 text and numbers of ordinary length."
        return _refused(error.status_code, message, code=_CODES.get(error.status_code), headers=error.headers)

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(ClientDisconnect, left)
    app.add_exception_handler(ApiError, told)
    app.add_exception_handler(CragError, told)
    app.add_exception_handler(Exception, told)


def _refused(
    status: int,
    message: str,
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    return SafeJSONResponse(error_body(message, "invalid_request_error", param, code), status, headers)


def _param(location: Sequence[str | int], body: Any) -> str | None:
    """The way through the body to the field at fault, without the names that pydantic gives to forms of one field."""
    found = []
    for part in location:
        if isinstance(body, dict):
            body = body.get(part, _MISSING)
        elif isinstance(body, list) and isinstance(part, int):
            body = body[part] if part < len(body) else _MISSING
        else:
            continue
        found.append(str(part))
    return ".".join(found) or None
