import { randomUUID } from 'node:crypto';
import { type AudioFormat, bytesPerMs, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import type { RecognisedFrame, Recogniser } from '../recognition/recogniser.js';
import type { RecogniserConnection, RecogniserProtocol } from '../serving/recogniser-server.js';
import { clientEvent, type Input, isLive } from './messages.js';

/** Least audio of a commit, in ms. */
const LEAST_COMMIT_MS = 100;
const FORMATS: Readonly<Record<Input['format']['type'], AudioFormat>> = {
  'audio/pcm': L16_24K,
  'audio/pcmu': PCMU_8K,
  'audio/pcma': PCMA_8K,
};

/** What goes wrong beside what does with every recogniser; all off by default, and changeable while it runs. */
export interface TranscriptionFaults {
  /** Expires this many sessions at their first audio, as the service does after an hour. */
  expireNext: number;
  /** Does not transcribe this many items, for the reason that `untranscribedCode` names. */
  untranscribedNext: number;
  untranscribedCode: string;
}

export function noTranscriptionFaults(): TranscriptionFaults {
  return { expireNext: 0, untranscribedNext: 0, untranscribedCode: 'server_error' };
}

/** Serves one transcription session: configured first, then fed with audio. */
export class TranscriptionSession implements RecogniserProtocol {
  readonly #connection: RecogniserConnection;
  readonly #faults: TranscriptionFaults;
  #input: Input | undefined;
  #format: AudioFormat = PCMU_8K;
  #recogniser: Recogniser | undefined;
  #itemId = itemId();
  #words: string[] = [];
  #bufferedMs = 0;
  #speaking = false;

  constructor(connection: RecogniserConnection, faults: TranscriptionFaults) {
    this.#connection = connection;
    this.#faults = faults;
    this.#send({ type: 'session.created', session: { type: 'transcription', id: `sess_${randomUUID()}` } });
  }

  onBinary(): void {
    this.#refuse('invalid_event', 'messages are JSON text');
  }

  onEnd(): void {}

  onText(text: string): void {
    const parsed = clientEvent.safeParse(json(text));
    if (!parsed.success) {
      const issue = parsed.error.issues[0]!;
      this.#refuse('invalid_value', `${issue.path.join('.')}: ${issue.message}`);
      return;
    }
    switch (parsed.data.type) {
      case 'session.update':
        this.#configure(parsed.data.session.audio.input);
        return;
      case 'input_audio_buffer.append':
        this.#append(Buffer.from(parsed.data.audio, 'base64'));
        return;
      case 'input_audio_buffer.commit':
        this.#connection.counters.finalizes += 1;
        if (this.#bufferedMs < LEAST_COMMIT_MS) this.#tooShort();
        else this.#commit();
        return;
      case 'input_audio_buffer.clear':
        this.#bufferedMs = 0;
        this.#words = [];
        this.#send({ type: 'input_audio_buffer.cleared' });
    }
  }

  #configure(input: Input): void {
    if (this.#input !== undefined && input.format.type !== this.#input.format.type) {
      this.#refuse('invalid_value', 'the format of a session with audio cannot change');
      return;
    }
    this.#input = input;
    this.#format = FORMATS[input.format.type];
    this.#recogniser ??= this.#connection.createRecogniser(this.#format);
    this.#send({ type: 'session.updated', session: { type: 'transcription', audio: { input } } });
  }

  #append(audio: Buffer): void {
    if (!this.#input || !this.#recogniser) {
      this.#refuse('invalid_event', 'the session has no transcription model yet');
      return;
    }
    const state = this.#connection.countAudio(audio.length, this.#format);
    if (state === 'is torn') return;
    if (state === 'fails') {
      this.#send({
        type: 'error',
        error: { type: 'server_error', code: 'server_error', message: 'on purpose' },
      });
      this.#connection.close(1011, 'failed on purpose');
      return;
    }
    if (this.#faults.expireNext > 0) {
      this.#faults.expireNext -= 1;
      const message = 'Your session hit the maximum duration of 60 minutes.';
      this.#send({
        type: 'error',
        error: { type: 'invalid_request_error', code: 'session_expired', message },
      });
      this.#connection.close(1001, message);
      return;
    }
    this.#bufferedMs += audio.length / bytesPerMs(this.#format);
    for (const frame of this.#recogniser.push(audio)) this.#recognised(frame, this.#input);
  }

  #recognised({ started, words, silenceMs, atMs }: RecognisedFrame, input: Input): void {
    const { interimDelayMs } = this.#connection;
    if (input.turn_detection && started && !this.#speaking) {
      this.#speaking = true;
      this.#send({
        type: 'input_audio_buffer.speech_started',
        item_id: this.#itemId,
        audio_start_ms: atMs - 20,
      });
    }
    for (const { text } of words) {
      if (isLive(input)) this.#delta(this.#words.length === 0 ? text : ` ${text}`, interimDelayMs);
      this.#words.push(text);
    }
    if (input.turn_detection && this.#speaking && silenceMs >= input.turn_detection.silence_duration_ms) {
      this.#speaking = false;
      const end = atMs - silenceMs;
      this.#send({ type: 'input_audio_buffer.speech_stopped', item_id: this.#itemId, audio_end_ms: end });
      this.#commit();
    }
  }

  #commit(): void {
    const id = this.#itemId;
    const transcript = this.#words.join(' ');
    this.#send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: null });
    if (this.#faults.untranscribedNext > 0) {
      this.#faults.untranscribedNext -= 1;
      this.#failed(id, this.#faults.untranscribedCode);
    } else this.#completed(id, transcript);
    this.#itemId = itemId();
    this.#words = [];
    this.#bufferedMs = 0;
  }

  #failed(id: string, code: string): void {
    this.#send({
      type: 'conversation.item.input_audio_transcription.failed',
      item_id: id,
      content_index: 0,
      error: { type: 'transcription_error', code, message: 'on purpose' },
    });
  }

  #completed(id: string, transcript: string): void {
    const { finalDelayMs } = this.#connection;
    if (this.#input && !isLive(this.#input) && transcript !== '') this.#delta(transcript, finalDelayMs);
    this.#send(
      {
        type: 'conversation.item.input_audio_transcription.completed',
        item_id: id,
        content_index: 0,
        transcript,
        usage: { type: 'duration', seconds: this.#bufferedMs / 1000 },
      },
      finalDelayMs,
    );
  }

  #delta(delta: string, delayMs: number): void {
    const type = 'conversation.item.input_audio_transcription.delta';
    this.#send({ type, item_id: this.#itemId, content_index: 0, delta }, delayMs);
  }

  #tooShort(): void {
    const code = 'input_audio_buffer_commit_empty';
    this.#send({
      type: 'error',
      error: { type: 'invalid_request_error', code, message: 'buffer too small' },
    });
  }

  /** The service reports a mistake and goes on. */
  #refuse(code: string, message: string): void {
    this.#connection.counters.violations += 1;
    this.#send({ type: 'error', error: { type: 'invalid_request_error', code, message } });
  }

  #send(event: object, delayMs = 0): void {
    this.#connection.send({ event_id: `event_${randomUUID()}`, ...event }, delayMs);
  }
}

const itemId = () => `item_${randomUUID().replaceAll('-', '').slice(0, 20)}`;

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
