import type { TestControlPlane } from '../../testing/control-plane.js';
import type { WebhooksModule } from '../module.js';

/** The webhooks module of a running control plane. */
export function webhooksOf(plane: TestControlPlane): WebhooksModule {
  const found = plane.modules.find((module) => module.name === 'webhooks');
  if (!found) throw new Error('the control plane has no webhooks');
  return found as WebhooksModule;
}
