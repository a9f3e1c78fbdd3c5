"""The OpenAPI document, made from the table of endpoints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from firmground.service.endpoints import Endpoint
from firmground.service.problems import CODES, MEDIA_TYPE

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "enum": sorted(CODES)},
        "detail": {"type": "string"},
        "field": {"type": "string"},
        "request_id": {"type": "string"},
    },
}
_WHOLE = {"limit": 200, "before": 1 << 53, "after": 1 << 53}


def openapi_document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Describe every endpoint."""
    schemas: dict[str, Any] = {"Problem": _PROBLEM}
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        path = re.sub(r":path\}", "}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "firmground", "version": version("firmground")},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": endpoint.handler.__name__,
        "summary": endpoint.summary,
        "parameters": _parameters(endpoint),
        "responses": {
            "200": {"description": "Success", "content": {endpoint.media_type: {"schema": {}}}},
            "default": {
                "description": "A problem",
                "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
            },
        },
    }
    if endpoint.scope is not None:
        made["security"] = [{"key": []}]
        one = isinstance(endpoint.scope, str)
        made["description"] = (
            f"Needs a key with the scope `{endpoint.scope}`." if one else "Needs a key."
        )
    if endpoint.body is not None:
        name = endpoint.body.__name__
        schema = endpoint.body.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[name] = schema
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
        made["requestBody"] = {"required": True, "content": content}
    return made


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    inside = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)(?::path)?\}", endpoint.path)
    ]
    asked = [
        {
            "name": name,
            "in": "query",
            "schema": {"type": "integer", "minimum": 0, "maximum": _WHOLE[name]}
            if name in _WHOLE
            else {"type": "string"},
        }
        for name in endpoint.query
    ]
    return [*inside, *asked]
