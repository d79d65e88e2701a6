import { z } from 'zod';
import { type Route, reply, route } from '../http/route.js';
import type { Module, Platform } from '../module.js';
import { type RotationRow, SecretRotation } from './rotation.js';

const tag = 'Internal';

const rotationResponse = z.object({
  key_id: z.string().describe('Names SECRETS_KEY.'),
  known_key_ids: z.array(z.string()).describe('Names all keys, those of SECRETS_KEYS_OLD included.'),
  state: z.enum(['never', 'running', 'done']),
  rewritten: z.number().int(),
  unreadable: z.number().int().describe('Secrets whose key is missing in SECRETS_KEYS_OLD.'),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
});

/** Sealing everything anew under SECRETS_KEY, at the operator's word. */
export function createSecretsModule({ store, secrets, clock, log }: Platform): Module {
  const rotation = new SecretRotation({ store, secrets, clock, log });
  const shown = (row: RotationRow | null): z.output<typeof rotationResponse> => ({
    key_id: secrets.keyId,
    known_key_ids: [...secrets.keyIds],
    state: row?.state ?? 'never',
    rewritten: row?.rewritten ?? 0,
    unreadable: row?.unreadable ?? 0,
    started_at: row?.started_at.toISOString() ?? null,
    finished_at: row?.finished_at?.toISOString() ?? null,
  });
  const routes: Route[] = [
    route({
      method: 'post',
      path: '/internal/secrets/rotation',
      operationId: 'rotateSecrets',
      tag,
      summary: 'Seal all secrets under the current key, in the background',
      auth: 'inter_plane',
      responses: { 202: { description: 'It has begun, or goes on.', schema: rotationResponse } },
      handler: async () => reply(202, shown(await rotation.begin())),
    }),
    route({
      method: 'get',
      path: '/internal/secrets/rotation',
      operationId: 'getSecretsRotation',
      tag,
      summary: 'How far the rotation to the current key is',
      auth: 'inter_plane',
      responses: { 200: { description: 'Where it stands.', schema: rotationResponse } },
      handler: async () => {
        await rotation.resume();
        return reply(200, shown(await rotation.status()));
      },
    }),
  ];
  return {
    name: 'secrets',
    internalRoutes: routes,
    start: () => rotation.resume(),
    stop: () => rotation.stop(),
  };
}
