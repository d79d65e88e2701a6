import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { ROLES } from '../../platform/http/roles.js';

/** Body of `POST /internal/dashboard/login-links`. */
export const loginLinkRequest = z.object({
  tenant: z.string().trim().min(1).max(255).default('default'),
  page: z.enum(['dashboard', 'talk']).default('dashboard').describe('Which page the link opens.'),
});
export const loginLinkResponse = z.object({
  url: z.url().describe('Signs in once.'),
  expires_at: z.iso.datetime(),
  tenant_id: uuid,
  signed_in_before: z.boolean().describe('Whether anybody of the tenant was signed in before.'),
});

/** Of a login link or an invitation; of the identity provider, whose tokens are longer. */
export const signInRequest = z.object({ token: z.string().min(1).max(8192).optional() });
export const signInWaysResponse = z.object({
  /** Null: no identity provider is configured. */
  identity_provider: z.object({ sign_in_url: z.url().nullable() }).nullable(),
});
export const sessionResponse = z.object({
  tenant_id: uuid,
  tenant_name: z.string(),
  expires_at: z.iso.datetime(),
  /** Null for a session from before there were members. */
  member: z.object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() }).nullable(),
  role: z.enum(ROLES),
  /** Of every operation of the API: the least role that may ask for it. */
  least_roles: z.record(z.string(), z.enum(ROLES)),
});
