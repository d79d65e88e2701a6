"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from .errors import VoiceError

Item = TypeVar("Item")


class Pages(Generic[Item]):
    """A list that comes in pages: iterate over all entries; the pages are fetched as they are needed."""

    def __init__(self, fetch: Callable[[dict[str, Any]], Any], items: str, by: str) -> None:
        self._fetch = fetch
        self._items = items
        self._by = by

    def first(self) -> Any:
        """Returns the first page as the API answers it."""
        return self._fetch({})

    def pages(self) -> Iterator[Any]:
        position: dict[str, Any] = {}
        count = 0
        while True:
            page = self._fetch(position)
            yield page
            entries = page.get(self._items) or []
            count += len(entries)
            if self._by == "cursor":
                if not page.get("next_cursor"):
                    return
                if page["next_cursor"] == position.get("cursor"):
                    raise VoiceError("The list goes on where it was: it has no end.")
                position = {"cursor": page["next_cursor"]}
            else:
                if not page.get("has_more") or not entries:
                    return
                position = {"offset": count}

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.get(self._items) or []

    def all(self, limit: int | None = None) -> list[Item]:
        """Collects entries; at most `limit` of them."""
        return list(islice(self, limit))
