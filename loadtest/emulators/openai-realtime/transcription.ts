import type { BufferedTurn } from './input-buffer.js';
import { textTokens, userAudioTokens } from './usage.js';

export interface TranscriptionOptions {
  readonly turn: BufferedTurn;
  readonly model: string | undefined;
  readonly fails: boolean;
  readonly send: (event: Readonly<Record<string, unknown>>) => void;
}

/** Sends what the transcription model makes of a caller's turn: deltas word by word, then the whole. */
export function sendTranscription({ turn, model, fails, send }: TranscriptionOptions): void {
  const base = { item_id: turn.itemId, content_index: 0 };
  const name = 'conversation.item.input_audio_transcription';
  if (fails) {
    const error = {
      type: 'server_error',
      code: 'audio_unintelligible',
      message: 'failed on purpose',
      param: null,
    };
    send({ type: `${name}.failed`, ...base, error });
    return;
  }
  // Whisper gives the whole at once, as one delta.
  const pieces = model === 'whisper-1' ? [turn.text] : (turn.text.match(/\s*\S+/g) ?? []);
  for (const delta of pieces) send({ type: `${name}.delta`, ...base, delta });
  const audio = userAudioTokens(turn.audioMs);
  const output = textTokens(turn.text);
  const usage =
    model === 'whisper-1'
      ? { type: 'duration', seconds: Math.ceil(turn.audioMs / 1000) }
      : {
          type: 'tokens',
          total_tokens: audio + output,
          input_tokens: audio,
          input_token_details: { text_tokens: 0, audio_tokens: audio },
          output_tokens: output,
        };
  send({ type: `${name}.completed`, ...base, transcript: turn.text, usage });
}
