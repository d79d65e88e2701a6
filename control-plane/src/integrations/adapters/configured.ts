import { VendorFailure } from '../../platform/vendor-http.js';
import type { VendorCall } from '../adapter.js';

/** Returns a text or number of the integration's config, as text; throws when the tenant has not set it. */
export function configured({ config }: Pick<VendorCall, 'config'>, name: string): string {
  const value = Object.hasOwn(config, name) ? config[name] : undefined;
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  throw new VendorFailure('refused', `Neither the arguments nor the integration's config name a ${name}.`);
}
