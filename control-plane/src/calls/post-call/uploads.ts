import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '@voice/shared/clock/clock';
import type { WaveformFigures } from '@voice/shared/contracts/waveform';
import { apiError } from '../../platform/http/error-codes.js';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import { recordAfterEnd } from '../record/call-changes.js';
import { TERMINAL_STATUSES } from '../record/call-state.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import type { ObjectSource, ObjectStorage } from './object-storage.js';
import { RECORDING_URL_LIFE_MS } from './recording-urls.js';

/** Four hours of stereo at 64 kbit/s are 115 MB. */
const RECORDING_LIMIT_BYTES = 256 * 1024 * 1024;
const DECISION_LOG_LIMIT_BYTES = 64 * 1024 * 1024;

interface CallUploadsOptions {
  readonly calls: CallModel;
  readonly storage: ObjectStorage;
  readonly clock: Clock;
  /** A recording is stored; post-call work may wait for it. */
  readonly onStored: (call: TenantKey) => Promise<void>;
  /** A recording was measured; called once a call. */
  readonly onMeasured: (call: CallDocument, figures: WaveformFigures) => Promise<void>;
}

/** Takes in what a worker kept of a call. Each upload may be repeated; the last complete one stays. */
export class CallUploads {
  readonly #options: CallUploadsOptions;

  constructor(options: CallUploadsOptions) {
    this.#options = options;
  }

  async recording(callId: string, audio: Readable, durationMs: number | null): Promise<void> {
    const call = await this.#require(callId);
    const key = recordingKey(call);
    if (call.erasing_at || call.recording_erased_at) return this.#discard(audio, key);
    const { sizeBytes } = await this.#options.storage.put(key, audio, RECORDING_LIMIT_BYTES, 'audio/mpeg');
    const at = this.#options.clock.now();
    const recording = { key, size_bytes: sizeBytes, duration_ms: durationMs, stored_at: new Date(at) };
    // It is published (again), also when the steps after the call were over.
    const kept = await this.#options.calls.updateOne(
      { _id: callId, tenant_id: call.tenant_id, erasing_at: null, recording_erased_at: null },
      { $set: { recording } },
    );
    // It was erased meanwhile, or its erasure asked for.
    if (kept.matchedCount === 0) return this.#options.storage.remove(key);
    await this.#options.calls.updateOne(
      { _id: callId, tenant_id: call.tenant_id, status: { $in: TERMINAL_STATUSES } },
      {
        $set: { post_call_due_at: new Date(at), publish_due_at: new Date(at) },
        $pull: { post_call_done: 'recording', published: 'recording' },
      },
    );
    await recordAfterEnd(this.#options.calls, tenantOf(call), callId, {
      name: 'recording_stored',
      type: 'recording.stored',
      at,
      data: { duration_ms: durationMs, size_bytes: sizeBytes },
    });
    await this.#options.onStored(call);
  }

  async decisionLog(callId: string, lines: Readable): Promise<void> {
    const call = await this.#require(callId);
    const key = decisionLogKey(call);
    if (call.erasing_at || call.transcript_erased_at) return this.#discard(lines, key);
    await this.#options.storage.put(key, lines, DECISION_LOG_LIMIT_BYTES, 'application/x-ndjson');
    const kept = await this.#options.calls.updateOne(
      { _id: callId, tenant_id: call.tenant_id, erasing_at: null, transcript_erased_at: null },
      { $set: { decision_log_key: key } },
    );
    if (kept.matchedCount === 0) await this.#options.storage.remove(key);
  }

  /** Opens a call's decision log. Throws 404 `call_not_found` and `decision_log_not_found`. */
  async openDecisionLog(callId: string): Promise<Readable> {
    const call = await this.#require(callId);
    const isErased = call.erasing_at || call.transcript_erased_at;
    const kept = isErased ? null : await this.#options.storage.open(decisionLogKey(call));
    if (!kept) throw apiError('decision_log_not_found');
    return kept.content;
  }

  /** Keeps what was measured in a call's recording; the same again changes nothing. */
  async waveform(callId: string, figures: WaveformFigures): Promise<void> {
    const call = await this.#require(callId);
    const { matchedCount } = await this.#options.calls.updateOne(
      { _id: callId, tenant_id: call.tenant_id, waveform: null, erasing_at: null },
      { $set: { waveform: JSON.stringify(figures) } },
    );
    if (matchedCount > 0) await this.#options.onMeasured(call, figures);
  }

  /** Returns where a call's recording is fetched from; throws 404 `recording_not_found`. */
  async recordingSource(callId: string): Promise<ObjectSource> {
    const call = await this.#options.calls
      .findOne({ _id: callId, erasing_at: null }, { recording: 1 })
      .lean<CallDocument>();
    const source =
      call?.recording && (await this.#options.storage.source(call.recording.key, RECORDING_URL_LIFE_MS));
    if (!source) throw apiError('recording_not_found');
    return source;
  }

  eraseRecording(call: Pick<CallDocument, '_id' | 'tenant_id'>): Promise<void> {
    return this.#options.storage.remove(recordingKey(call));
  }

  eraseDecisionLog(call: Pick<CallDocument, '_id' | 'tenant_id'>): Promise<void> {
    return this.#options.storage.remove(decisionLogKey(call));
  }

  /**
   * Takes an upload of what is erased to its end, so that its worker has done with it. Removes what the upload before
   * may have left: one that was killed between storing and asking whether it is still wanted.
   */
  async #discard(content: Readable, key: string): Promise<void> {
    content.resume();
    await finished(content);
    await this.#options.storage.remove(key);
  }

  async #require(callId: string): Promise<CallDocument> {
    const call = await this.#options.calls
      .findOne(
        { _id: callId },
        { tenant_id: 1, erasing_at: 1, recording_erased_at: 1, transcript_erased_at: 1 },
      )
      .lean<CallDocument>();
    if (!call) throw apiError('call_not_found');
    return call;
  }
}

const recordingKey = ({ _id, tenant_id }: Pick<CallDocument, '_id' | 'tenant_id'>) =>
  `recordings/${tenant_id}/${_id}.mp3`;

const decisionLogKey = ({ _id, tenant_id }: Pick<CallDocument, '_id' | 'tenant_id'>) =>
  `decision-logs/${tenant_id}/${_id}.ndjson`;
