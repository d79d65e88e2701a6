import { pipeline } from 'node:stream/promises';
import type { Clock } from '@voice/shared/clock/clock';
import { eventBatchReply, RECORDING_DURATION_HEADER } from '@voice/shared/contracts/call-events';
import { uuid } from '@voice/shared/contracts/primitives';
import { waveformFigures } from '@voice/shared/contracts/waveform';
import { HEARTBEAT_INTERVAL_MS, heartbeat, heartbeatReply } from '@voice/shared/contracts/worker';
import { z } from 'zod';
import { noContent, type Route, reply, route, streamed } from '../../platform/http/route.js';
import type { CallUploads } from '../post-call/uploads.js';
import { type EventIntake, looseEventBatch } from './event-intake.js';
import type { WorkerCalls } from './worker-calls.js';

/** A thousand events, the longest of them transcripts and tool results. */
const EVENT_BATCH_LIMIT_BYTES = 32 * 1024 * 1024;
/** Ten thousand figures of a very long call. */
const WAVEFORM_LIMIT_BYTES = 1024 * 1024;
const tag = 'Internal';

export interface WorkerRoutesOptions {
  readonly workerCalls: WorkerCalls;
  readonly intake: EventIntake;
  readonly uploads: CallUploads;
  readonly clock: Pick<Clock, 'now'>;
}

/** Declares the routes by which media workers report to the control plane. */
export function workerRoutes({ workerCalls, intake, uploads, clock }: WorkerRoutesOptions): Route[] {
  const callParams = z.object({ call_id: uuid });
  return [
    route({
      method: 'post',
      path: '/internal/workers/heartbeat',
      operationId: 'workerHeartbeat',
      tag,
      summary: 'A worker reports its places and calls',
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      body: heartbeat,
      responses: { 200: { description: 'When to report again, and what to end.', schema: heartbeatReply } },
      handler: async ({ body }) =>
        reply(200, {
          interval_ms: HEARTBEAT_INTERVAL_MS,
          ended_calls: await workerCalls.heartbeat(body),
          now: clock.now(),
        }),
    }),
    route({
      method: 'post',
      path: '/internal/events',
      operationId: 'callEvents',
      tag,
      summary: "A batch of calls' events",
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      body: looseEventBatch,
      bodyLimitBytes: EVENT_BATCH_LIMIT_BYTES,
      responses: { 200: { description: 'Which events are kept now.', schema: eventBatchReply } },
      handler: async ({ body }) => reply(200, await intake.accept(body)),
    }),
    route({
      method: 'put',
      path: '/internal/calls/{call_id}/recording',
      operationId: 'uploadRecording',
      tag,
      summary: 'The recording of a call',
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      bodyType: 'stream',
      params: callParams,
      responses: { 204: { description: 'It is stored.' } },
      errors: ['call_not_found', 'storage_unavailable'],
      handler: async ({ params, request, content }) => {
        const duration = z.coerce.number().nonnegative().safeParse(request.get(RECORDING_DURATION_HEADER));
        await uploads.recording(params.call_id, content, duration.success ? duration.data : null);
        return noContent();
      },
    }),
    route({
      method: 'put',
      path: '/internal/calls/{call_id}/waveform',
      operationId: 'uploadWaveform',
      tag,
      summary: "A call's latency as its recording shows it",
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      params: callParams,
      body: waveformFigures,
      bodyLimitBytes: WAVEFORM_LIMIT_BYTES,
      responses: { 204: { description: 'It is stored.' } },
      errors: ['call_not_found'],
      handler: async ({ params, body }) => {
        await uploads.waveform(params.call_id, body);
        return noContent();
      },
    }),
    route({
      method: 'put',
      path: '/internal/calls/{call_id}/decision-log',
      operationId: 'uploadDecisionLog',
      tag,
      summary: 'The decision log of a call',
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      bodyType: 'stream',
      params: callParams,
      responses: { 204: { description: 'It is stored.' } },
      errors: ['call_not_found', 'storage_unavailable'],
      handler: async ({ params, content }) => {
        await uploads.decisionLog(params.call_id, content);
        return noContent();
      },
    }),
    route({
      method: 'get',
      path: '/internal/calls/{call_id}/decision-log',
      operationId: 'readDecisionLog',
      tag,
      summary: 'The decision log of a call, for the command line',
      auth: 'inter_plane',
      params: callParams,
      responses: { 200: { description: 'As newline-delimited JSON.' } },
      errors: ['call_not_found', 'decision_log_not_found', 'storage_unavailable'],
      handler: async ({ params }) => {
        const content = await uploads.openDecisionLog(params.call_id);
        return streamed(200, async (response) => {
          response.set('Content-Type', 'application/x-ndjson');
          await pipeline(content, response);
        });
      },
    }),
  ];
}
