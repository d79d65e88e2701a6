import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.js';

/** Whether a subscription receives events. */
export function WebhookStatus({ active }: { readonly active: boolean }): ReactNode {
  return <Badge tone={active ? 'good' : 'neutral'}>{active ? 'On' : 'Off'}</Badge>;
}
