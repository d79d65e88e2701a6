"""What the operations of one part of the API stand on."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from ._pages import Pages
from ._transport import RequestOptions, Transport


def path_of(template: str, **ids: str) -> str:
    """Returns a path whose ids cannot become other paths."""
    for name, value in ids.items():
        if not value:
            raise ValueError(f"{name} is missing.")
        # What parses addresses takes these for steps, however they are written.
        if value in (".", ".."):
            raise ValueError(f"{name}: {value!r} is no id.")
    return template.format(**{name: quote(value, safe="") for name, value in ids.items()})


class Resource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _request(
        self,
        verb: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> Any:
        return self._transport.json(verb, path, query=query, body=body, options=options)

    def _pages(
        self,
        path: str,
        items: str,
        by: str,
        *,
        query: dict[str, Any] | None = None,
        options: RequestOptions | None = None,
    ) -> Pages[Any]:
        return Pages(
            lambda position: self._transport.json("GET", path, query={**(query or {}), **position}, options=options),
            items,
            by,
        )
