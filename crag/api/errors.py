"""Every failure leaves as ``{"error": {"message", "type", "param", "code"}}`` with a true status code."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

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

logger = logging.getLogger("crag.api")


class ApiError(Exception):
    """A request that is refused. `param` names the field at fault, `code` is stable for programs."""

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code


def error_body(message: str, kind: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def error_parts(error: Exception) -> tuple[int, dict[str, Any]]:
    """Status and body for any exception. What was not foreseen is logged, and tells a client nothing."""
    if isinstance(error, ApiError):
        kind = {401: "authentication_error", 403: "permission_error"}.get(error.status, "invalid_request_error")
        return error.status, error_body(str(error), kind, error.param, error.code)
    if isinstance(error, CragError):
        return STATUS.get(error.kind, 500), error_body(str(error), error.kind, code=error.kind)
    logger.error("unforeseen", exc_info=error)
    return 500, error_body("The server failed in a way that nobody foresaw; its log has the details.", "server_error")


def install(app: FastAPI) -> None:
    """Register the handlers for every kind of failure."""

    async def told(request: Request, error: Exception) -> JSONResponse:
        status, body = error_parts(error)
        return JSONResponse(body, status)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        param = ".".join(str(part) for part in first["loc"] if part != "body") or None
        if first["type"] == "json_invalid":
            return JSONResponse(error_body("The body is not valid JSON.", "invalid_request_error"), 400)
        message = str(first["msg"]).removeprefix("Value error, ")
        return JSONResponse(error_body(f"{param or 'body'}: {message}.", "invalid_request_error", param), 400)

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        message = f"There is no {request.method} {request.url.path} here."
        if error.status_code == 405:
            message = f"{request.url.path} does not take {request.method}."
        elif error.status_code not in (404, 405):
            message = str(error.detail)
        return JSONResponse(error_body(message, "invalid_request_error"), error.status_code, error.headers)

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(ApiError, told)
    app.add_exception_handler(CragError, told)
    app.add_exception_handler(Exception, told)
