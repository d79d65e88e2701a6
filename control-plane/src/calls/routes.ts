import { callDirection, callStatus, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { apiError } from '../platform/http/error-codes.js';
import { sendFileFromDisk } from '../platform/http/file-answer.js';
import { queryCursor, queryInt, queryOffset } from '../platform/http/query.js';
import { type Route, reply, route, streamed } from '../platform/http/route.js';
import { queryIncludeTotal } from '../platform/http/totals.js';
import { ValidationError } from '../platform/http/validation.js';
import type { CallsService } from './calls-service.js';
import type { HangUp } from './ending/hang-up.js';
import type { CreateCall } from './outbound/create-call.js';
import type { TestCalls } from './outbound/test-calls.js';
import { type RecordingFiles, recordingForm } from './post-call/audio/recording-file.js';
import type { RecordingUrls } from './post-call/recording-urls.js';
import type { CallUploads } from './post-call/uploads.js';
import {
  callCreate,
  callCreateResponse,
  callDetailResponse,
  callListResponse,
  callResponse,
  hangupRequest,
  hangupResponse,
  recordingUrlResponse,
  testCallRequest,
} from './record/schemas.js';

const tag = 'Calls';
const callParams = z.object({ call_id: uuid });

export interface CallRoutesOptions {
  readonly calls: CallsService;
  readonly createCall: CreateCall;
  readonly testCalls: TestCalls;
  readonly hangUp: HangUp;
  readonly recordingUrls: RecordingUrls;
  readonly uploads: CallUploads;
  readonly recordingFiles: RecordingFiles;
}

export function callRoutes({
  calls,
  createCall,
  testCalls,
  hangUp,
  recordingUrls,
  uploads,
  recordingFiles,
}: CallRoutesOptions): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/calls',
      operationId: 'createCall',
      tag,
      summary: 'Place a call',
      description:
        'Checks agent, numbers and compliance, queues the call and dials it. The answer does not wait for the dialing.',
      auth: 'api_key',
      rateClass: 'dial',
      body: callCreate,
      responses: { 202: { description: 'The call is queued.', schema: callCreateResponse } },
      errors: [
        'agent_not_found',
        'agent_inactive',
        'provider_unavailable',
        'payment_method_required',
        'credit_exhausted',
        'daily_cap_reached',
        'sandbox_number_required',
        'caller_id_unverified',
        'attestation_insufficient',
        'compliance_denied',
        'compliance_check_not_found',
        'compliance_check_mismatch',
        'carrier_error',
      ],
      handler: async ({ scope, body, resourceId, idempotencyKey }) =>
        reply(
          202,
          await createCall.create(scope, {
            id: resourceId,
            isNew: idempotencyKey === undefined,
            request: body,
          }),
        ),
    }),
    route({
      method: 'post',
      path: '/api/v1/calls/test',
      operationId: 'createTestCall',
      tag,
      summary: 'Try an agent out by a call',
      description:
        'A call like any other, compliance gate included. With production keys at most 5 an hour and tenant.',
      auth: 'tenant_in_mode',
      body: testCallRequest,
      responses: { 202: { description: 'The call is queued.', schema: callCreateResponse } },
      errors: [
        'agent_not_found',
        'agent_inactive',
        'provider_unavailable',
        'payment_method_required',
        'credit_exhausted',
        'daily_cap_reached',
        'sandbox_number_required',
        'caller_id_unverified',
        'attestation_insufficient',
        'compliance_denied',
        'carrier_error',
      ],
      handler: async ({ scope, body, resourceId }) => {
        if (!scope.sandbox && body.to_number === undefined) {
          throw new ValidationError([{ loc: ['body', 'to_number'], msg: 'Field required', type: 'missing' }]);
        }
        return reply(202, await testCalls.create(scope, { id: resourceId, request: body }));
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/calls',
      operationId: 'listCalls',
      tag,
      summary: 'List calls',
      description:
        'Newest first. With `q` at most 300 calls are looked through at a time, 40 of them archived: a page may be shorter ' +
        'than `limit`, or empty. While `has_more`, `next_cursor` goes on where it ended, until every call that fits the ' +
        'filters was looked through.',
      auth: 'tenant_in_mode',
      query: z.object({
        cursor: queryCursor,
        offset: queryOffset,
        limit: queryInt({ min: 1, max: 500, default: 50 }),
        status: callStatus.optional(),
        direction: callDirection.optional(),
        agent_id: uuid.optional(),
        q: z
          .string()
          .trim()
          .min(2)
          .max(100)
          .optional()
          .describe(
            'Words that were said by either side, in upper or lower case. Found are calls that are over, archived ones ' +
              'among them, and whose transcript is not erased. `total` counts the calls to look through.',
          ),
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'A page of calls.', schema: callListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ scope, query }) => reply(200, await calls.list(scope, query)),
    }),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}',
      operationId: 'getCall',
      tag,
      summary: 'Get a call',
      auth: 'tenant_in_mode',
      params: callParams,
      responses: { 200: { description: 'The call.', schema: callResponse } },
      errors: ['call_not_found'],
      handler: async ({ scope, params }) => reply(200, await calls.get(scope, params.call_id)),
    }),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/detail',
      operationId: 'getCallDetail',
      tag,
      summary: 'Get a call with its transcript, metrics and timeline',
      description: 'Also while the call is live: it shows what has happened so far.',
      auth: 'tenant_in_mode',
      params: callParams,
      responses: { 200: { description: 'The call in full.', schema: callDetailResponse } },
      // Of a call that is archived.
      errors: ['call_not_found', 'storage_unavailable'],
      handler: async ({ scope, params }) => reply(200, await calls.detail(scope, params.call_id)),
    }),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/recording',
      operationId: 'getCallRecording',
      tag,
      summary: "Get a call's recording, or an address of it",
      description:
        'By default the address of an MP3, stereo: the caller left, the agent right; it is good for 15 minutes. ' +
        'With `Accept: audio/mpeg` the answer is that file itself, with `Accept: audio/wav` the same as 16-bit ' +
        'PCM, which `channels=mono` mixes into one channel.',
      auth: 'tenant_in_mode',
      params: callParams,
      query: z.object({
        channels: z
          .enum(['stereo', 'mono'])
          .default('stereo')
          .describe('Of the file itself; mono is to be had as WAV.'),
      }),
      responses: {
        200: {
          description: 'Where to fetch it, or the file itself.',
          schema: recordingUrlResponse,
          alternatives: ['audio/mpeg', 'audio/wav'],
        },
      },
      errors: [
        'call_not_found',
        'recording_not_found',
        'not_acceptable',
        'range_not_satisfiable',
        'storage_unavailable',
      ],
      handler: async ({ scope, params, query: { channels }, request }) => {
        const form = recordingForm((types) => request.accepts(types), channels);
        if (form === 'address') return reply(200, await calls.recording(scope, params.call_id));
        const { recording } = await calls.require(scope, params.call_id);
        if (!recording) throw apiError('recording_not_found');
        return streamed(200, (response) =>
          form === 'audio/mpeg'
            ? recordingFiles.sendMp3(response, recording.key)
            : recordingFiles.sendWav(response, recording.key, channels),
        );
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/hangup',
      operationId: 'hangUpCall',
      tag,
      summary: 'Hang up',
      description: 'A call that is over answers `already_ended`, and nothing is done.',
      auth: 'tenant_in_mode',
      params: callParams,
      body: hangupRequest,
      responses: { 202: { description: 'The call is being ended, or is over.', schema: hangupResponse } },
      errors: ['call_not_found'],
      handler: async ({ scope, params, body, keyId, actor, resourceId }) =>
        reply(202, {
          call_id: params.call_id,
          status: await hangUp.hangUp(scope, params.call_id, {
            id: resourceId,
            by: keyId,
            actor,
            reason: body?.reason,
          }),
        }),
    }),
    route({
      method: 'get',
      path: '/recordings/{file}',
      operationId: 'downloadRecording',
      tag,
      summary: 'Download a recording by its signed address',
      auth: 'none',
      listed: false,
      params: z.object({ file: z.string().regex(/^[0-9a-f-]{36}\.mp3$/) }),
      query: z.object({ expires: z.coerce.number().int(), signature: z.string().max(128) }),
      responses: {
        200: { description: 'The recording.', contentType: 'audio/mpeg' },
        302: { description: 'It lies in the object storage.' },
      },
      errors: ['invalid_signature', 'recording_not_found', 'range_not_satisfiable', 'storage_unavailable'],
      handler: async ({ params, query }) => {
        const callId = params.file.slice(0, -'.mp3'.length);
        if (!recordingUrls.verify(callId, query.expires, query.signature))
          throw apiError('invalid_signature');
        const source = await uploads.recordingSource(callId);
        if (source.kind === 'address') return { status: 302 as const, headers: { Location: source.url } };
        const { path } = source;
        return streamed(200, (response) => {
          response.set({ 'Content-Type': 'audio/mpeg', 'Cache-Control': 'private, no-store' });
          return sendFileFromDisk(response, path, () => apiError('recording_not_found'));
        });
      },
    }),
  ];
}
