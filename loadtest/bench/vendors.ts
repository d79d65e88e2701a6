import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { DELAYS, PREEMPTION_DELAYS } from './fixed-delays.js';
import { type Speech, servePhrasebook } from './speech.js';
import type { Subject } from './subject.js';

/** How the plan reaches the emulated vendors, by provider. */
export type Vendors = Readonly<Record<string, ProviderCredentials>>;

/** Starts the emulators that a subject needs, with their fixed delays. */
export async function startVendors(
  subject: Subject,
  speech: Speech,
  children: BuiltProgram[],
): Promise<Vendors> {
  const phrasebook = await servePhrasebook(speech);
  const start = async (name: string, options: Readonly<Record<string, string | number>>) => {
    const args = Object.entries({ port: 0, ...options }).flatMap(([key, value]) => [`--${key}`, `${value}`]);
    const child = await BuiltProgram.start(`loadtest/dist/emulators/${name}/main.js`, args);
    children.push(child);
    return `127.0.0.1:${child.port}`;
  };
  const reachedAt = (base_url: string): ProviderCredentials => ({ api_key: 'bench', base_url });
  const model = {
    phrasebook: phrasebook.url,
    voice: 'tone',
    'first-audio-delay-ms': DELAYS.realtimeFirstAudio,
  };
  try {
    switch (subject.pipeline) {
      case 'openai': {
        const host = await start('openai-realtime', { ...model, answers: 'script' });
        return { openai: reachedAt(`ws://${host}/v1`) };
      }
      case 'gemini': {
        const host = await start('gemini-live', { ...model, answers: 'receptionist' });
        return { gemini: reachedAt(`ws://${host}`) };
      }
      case 'cascaded':
        break;
    }
    const deepgram = await start('deepgram', {
      phrasebook: phrasebook.url,
      'interim-delay-ms': DELAYS.sttFinal,
      'final-delay-ms': DELAYS.sttFinal,
      ...(subject.preemption ? { 'interim-every-ms': PREEMPTION_DELAYS.interimEvery } : {}),
      // Bytes do not survive a lossy codec.
      ...(subject.line === 'webrtc' ? { 'by-sound': 'true' } : {}),
    });
    const openai = await start('openai', {
      'first-token-delay-ms': subject.preemption ? PREEMPTION_DELAYS.llmFirstToken : DELAYS.llmFirstToken,
      'token-delay-ms': DELAYS.llmToken,
    });
    const elevenlabs = await start('elevenlabs', {
      voice: 'tone',
      'first-audio-delay-ms': DELAYS.ttsFirstAudio,
    });
    return {
      deepgram: reachedAt(`ws://${deepgram}`),
      openai: reachedAt(`http://${openai}/v1`),
      elevenlabs: reachedAt(`ws://${elevenlabs}`),
    };
  } finally {
    phrasebook.close();
  }
}
