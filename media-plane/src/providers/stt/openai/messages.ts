import type {
  ConversationItemInputAudioTranscriptionCompletedEvent,
  ConversationItemInputAudioTranscriptionDeltaEvent,
  InputAudioBufferCommittedEvent,
  InputAudioBufferSpeechStartedEvent,
  RealtimeErrorEvent,
} from 'openai/resources/realtime/realtime';
import { z } from 'zod';

const item = { item_id: z.string() };

/** Events of a transcription session that matter here; others are left out. */
const serverEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_audio_buffer.speech_started'), ...item, audio_start_ms: z.number() }),
  z.object({ type: z.literal('input_audio_buffer.speech_stopped'), ...item, audio_end_ms: z.number() }),
  z.object({ type: z.literal('input_audio_buffer.committed'), ...item }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.delta'),
    ...item,
    delta: z.string().optional(),
  }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    ...item,
    transcript: z.string(),
  }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.failed'),
    ...item,
    error: z.object({ code: z.string().nullish(), message: z.string().nullish() }),
  }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      type: z.string().default(''),
      code: z.string().nullish(),
      message: z.string().default(''),
    }),
  }),
]);
export type ServerEvent = z.infer<typeof serverEvent>;

/** The compiler's proof that what the vendor's SDK declares is what we read. */
type VendorEvent =
  | InputAudioBufferSpeechStartedEvent
  | InputAudioBufferCommittedEvent
  | ConversationItemInputAudioTranscriptionDeltaEvent
  | ConversationItemInputAudioTranscriptionCompletedEvent
  | RealtimeErrorEvent;
type AgreesWithSdk = VendorEvent extends z.input<typeof serverEvent> ? true : never;
const agrees: AgreesWithSdk = true;

export function parseServerEvent(raw: unknown): ServerEvent | undefined {
  const parsed = serverEvent.safeParse(raw);
  return agrees && parsed.success ? parsed.data : undefined;
}
