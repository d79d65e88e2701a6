import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/mode.js';
import { Button } from '../../ui/button.js';

/** The way to a first call: to a simulated person in the sandbox; in live mode it takes a number. */
export function FirstCallLink(): ReactNode {
  const { mode } = useApi();
  return (
    <Button asChild variant="primary">
      {mode === 'live' ? (
        <Link to="/numbers">Get a number</Link>
      ) : (
        <Link to="/live">Call a simulated person</Link>
      )}
    </Button>
  );
}
