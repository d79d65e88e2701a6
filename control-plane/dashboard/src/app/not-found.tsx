import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';

export function NotFound(): ReactNode {
  return (
    <EmptyState
      icon={SearchX}
      title="There is no such page"
      action={
        <Button asChild variant="primary">
          <Link to="/agents">Go to the agents</Link>
        </Button>
      }
    >
      Press ⌘K (or Ctrl K) to find what you are looking for.
    </EmptyState>
  );
}
