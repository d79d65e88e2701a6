import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

/** Body of `POST /internal/dashboard/login-links`. */
export const loginLinkRequest = z.object({
  tenant: z.string().trim().min(1).max(255).default('default'),
  page: z.enum(['dashboard', 'talk']).default('dashboard').describe('Which page the link opens.'),
});
export const loginLinkResponse = z.object({
  url: z.url().describe('Signs in once.'),
  expires_at: z.iso.datetime(),
  tenant_id: uuid,
});

export const signInRequest = z.object({ token: z.string().min(1).max(256) });
export const sessionResponse = z.object({
  tenant_id: uuid,
  tenant_name: z.string(),
  expires_at: z.iso.datetime(),
});
