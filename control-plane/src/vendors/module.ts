import type { Module } from '../platform/module.js';
import { vendorKeyRoutes } from './keys/routes.js';
import type { VendorKeys } from './keys/service.js';

/** Wires what tenants have at the vendors of speech and language models. */
export function createVendorsModule({ keys }: { readonly keys: VendorKeys }): Module {
  return { name: 'vendors', routes: vendorKeyRoutes(keys) };
}
