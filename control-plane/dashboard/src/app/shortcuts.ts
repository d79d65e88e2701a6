import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { DESTINATIONS } from './navigation.js';

/** How long after `g` the second key is waited for, ms. */
const SEQUENCE_MS = 1200;

/** Handles the keys that work everywhere: ⌘K, and `g` with a letter for each page. */
export function useShortcuts(search: () => void): void {
  const navigate = useNavigate();
  const searching = useRef(search);
  searching.current = search;
  useEffect(() => {
    let startedAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        searching.current();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      if (event.key === 'g') {
        startedAt = event.timeStamp;
        return;
      }
      if (event.timeStamp - startedAt > SEQUENCE_MS) return;
      startedAt = Number.NEGATIVE_INFINITY;
      const destination = DESTINATIONS.find(({ key }) => key === event.key);
      if (destination) void navigate({ to: destination.to });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate]);
}

function isTyping(event: KeyboardEvent): boolean {
  // Of what is in a shadow, as the editor of prompts, `target` names the host alone.
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  );
}
