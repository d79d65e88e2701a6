import type { CursorCodec } from '../platform/http/pagination.js';
import type { Module } from '../platform/module.js';
import { vendorKeyRoutes } from './keys/routes.js';
import type { VendorKeys } from './keys/service.js';
import { voiceRoutes } from './voices/routes.js';
import type { Voices } from './voices/voices.js';

export interface VendorsModuleOptions {
  readonly keys: VendorKeys;
  readonly voices: Voices;
  readonly cursors: CursorCodec;
}

/** Wires what tenants have at the vendors of speech and language models: their keys, and the voices there. */
export function createVendorsModule({ keys, voices, cursors }: VendorsModuleOptions): Module {
  return { name: 'vendors', routes: [...voiceRoutes(voices, cursors), ...vendorKeyRoutes(keys)] };
}
