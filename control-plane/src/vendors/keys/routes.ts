import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import {
  vendorKey,
  vendorKeyCheck,
  vendorKeyListResponse,
  vendorKeySetRequest,
  vendorParams,
} from './schemas.js';
import type { VendorKeys } from './service.js';

const tag = 'Vendor keys';
const base = '/api/v1/vendor-keys';

export function vendorKeyRoutes(keys: VendorKeys): Route[] {
  return [
    route({
      method: 'get',
      path: base,
      operationId: 'listVendorKeys',
      tag,
      summary: "List the tenant's own keys at vendors",
      description:
        'Agents are reached with their own `params.api_key` first, then with the key of the tenant, then with that ' +
        'of the installation. Keys belong to the tenant and hold for both modes; the sandbox shows which there are.',
      auth: 'tenant_in_mode',
      responses: { 200: { description: 'All vendors.', schema: vendorKeyListResponse } },
      handler: async ({ scope }) => reply(200, await keys.list(scope)),
    }),
    route({
      method: 'get',
      path: `${base}/{provider}`,
      operationId: 'getVendorKey',
      tag,
      summary: "Get what is known of the tenant's key at a vendor",
      description: 'Never the key itself.',
      auth: 'tenant_in_mode',
      params: vendorParams,
      responses: { 200: { description: 'The key, masked; `set` is false without one.', schema: vendorKey } },
      handler: async ({ scope, params }) => reply(200, await keys.get(scope, params.provider)),
    }),
    route({
      method: 'put',
      path: `${base}/{provider}`,
      operationId: 'setVendorKey',
      tag,
      summary: 'Set or replace the key at a vendor',
      description:
        'The vendor is asked first; what it refuses is not saved. Takes effect on the next call, and what a call ' +
        "uses on the key is the vendor's to charge, not ours.",
      auth: 'tenant_live',
      params: vendorParams,
      body: vendorKeySetRequest,
      responses: { 200: { description: 'The key is saved, encrypted.', schema: vendorKey } },
      errors: ['vendor_key_refused', 'vendor_unavailable', 'conflict'],
      handler: async ({ tenant, keyId, userId, params, body }) =>
        reply(
          200,
          await keys.set(
            tenant,
            params.provider,
            { apiKey: body.api_key, verify: body.verify },
            { keyId, userId },
          ),
        ),
    }),
    route({
      method: 'delete',
      path: `${base}/{provider}`,
      operationId: 'deleteVendorKey',
      tag,
      summary: 'Delete the key at a vendor',
      description:
        "For good, and at once: new calls are on the installation's account, where it has one. Calls that began on " +
        'the deleted key are not.',
      auth: 'tenant_live',
      params: vendorParams,
      responses: { 204: { description: 'The key is deleted.' } },
      errors: ['vendor_key_not_found', 'conflict'],
      handler: async ({ tenant, keyId, userId, params }) => {
        await keys.delete(tenant, params.provider, { keyId, userId });
        return noContent();
      },
    }),
    route({
      method: 'post',
      path: `${base}/{provider}/check`,
      operationId: 'checkVendorKey',
      tag,
      summary: 'Ask the vendor whether it takes the key',
      auth: 'tenant_live',
      params: vendorParams,
      responses: { 200: { description: 'What the vendor says now.', schema: vendorKeyCheck } },
      errors: ['vendor_key_not_found', 'conflict'],
      handler: async ({ tenant, params }) => reply(200, await keys.check(tenant, params.provider)),
    }),
  ];
}
