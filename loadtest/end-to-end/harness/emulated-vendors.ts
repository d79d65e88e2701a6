import { type DeepgramEmulator, startDeepgramEmulator } from '../../emulators/deepgram/server.js';
import { type ElevenLabsEmulator, startElevenLabsEmulator } from '../../emulators/elevenlabs/server.js';
import { type GeminiLiveEmulator, startGeminiLiveEmulator } from '../../emulators/gemini-live/server.js';
import type { ScriptRule } from '../../emulators/openai/script.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../emulators/openai/server.js';
import type { OpenAiRealtimeEmulator } from '../../emulators/openai-realtime/emulator.js';
import { startOpenAiRealtimeEmulator } from '../../emulators/openai-realtime/server.js';
import type { Phrase } from '../../emulators/recognition/phrasebook.js';

const KEYS = { deepgram: 'dg-key', openai: 'sk-openai', elevenlabs: 'xi-key', gemini: 'gm-key' };

export const PIPELINES = ['cascaded', 'openai', 'gemini'] as const;
export type Pipeline = (typeof PIPELINES)[number];

/** All vendors on loopback, with one script behind each of their models. */
export class EmulatedVendors {
  private constructor(
    readonly deepgram: DeepgramEmulator,
    readonly openai: OpenAiEmulator,
    readonly elevenlabs: ElevenLabsEmulator,
    readonly realtime: OpenAiRealtimeEmulator,
    readonly gemini: GeminiLiveEmulator,
  ) {}

  static async start(phrasebook: readonly Phrase[], script: readonly ScriptRule[]): Promise<EmulatedVendors> {
    return new EmulatedVendors(
      // Some lines are lossy.
      await startDeepgramEmulator({ phrasebook, bySound: true, apiKeys: [KEYS.deepgram] }),
      await startOpenAiEmulator({ script, apiKeys: [KEYS.openai] }),
      await startElevenLabsEmulator({ voice: 'tone', speed: 5, apiKeys: [KEYS.elevenlabs] }),
      await startOpenAiRealtimeEmulator({
        phrasebook,
        bySound: true,
        script,
        speed: 5,
        apiKeys: [KEYS.openai],
      }),
      await startGeminiLiveEmulator({ phrasebook, bySound: true, script, apiKeys: [KEYS.gemini] }),
    );
  }

  /** For the control plane. */
  get env(): NodeJS.ProcessEnv {
    return {
      DEEPGRAM_API_KEY: KEYS.deepgram,
      DEEPGRAM_URL: `ws://127.0.0.1:${this.deepgram.port}`,
      OPENAI_API_KEY: KEYS.openai,
      OPENAI_BASE_URL: this.openai.baseUrl,
      ELEVENLABS_API_KEY: KEYS.elevenlabs,
      ELEVENLABS_URL: `ws://127.0.0.1:${this.elevenlabs.port}`,
      GEMINI_API_KEY: KEYS.gemini,
      GEMINI_URL: `ws://127.0.0.1:${this.gemini.port}`,
    };
  }

  /** Gives the part of an agent that says which pipeline it is. */
  voice(pipeline: Pipeline): Readonly<Record<string, unknown>> {
    switch (pipeline) {
      case 'cascaded':
        return { pipeline_type: 'cascaded', voice_config: this.cascade };
      case 'openai':
        return { pipeline_type: 'realtime', voice_config: { realtime: this.#openAiRealtime } };
      case 'gemini':
        return { pipeline_type: 'realtime', voice_config: { realtime: { provider: 'gemini' } } };
    }
  }

  get cascade() {
    return {
      stt: { provider: 'deepgram', model: 'nova-3' },
      llm: { provider: 'openai', model: 'gpt-4o-mini' },
      tts: {
        provider: 'elevenlabs',
        model: 'eleven_flash_v2_5',
        params: { voice_id: 'EXAVITQu4vr4xnSDxMaL' },
      },
    };
  }

  /** What the vendors had to object to; empty when the protocols were kept. */
  get objections(): Readonly<Record<string, number>> {
    const { deepgram, openai, elevenlabs, realtime, gemini } = this;
    const counts = {
      deepgram: deepgram.counters.violations + deepgram.counters.refused,
      openai: openai.counters.refused,
      elevenlabs: elevenlabs.counters.violations + elevenlabs.counters.refused,
      realtime: realtime.counters.errors - realtime.counters.lateCancels + realtime.counters.refused,
      gemini: gemini.counters.violations + gemini.counters.refused,
    };
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  }

  async close(): Promise<void> {
    const { deepgram, openai, elevenlabs, realtime, gemini } = this;
    for (const emulator of [deepgram, openai, elevenlabs, realtime, gemini]) await emulator.close();
  }

  /** At an address of the agent's own: the platform's OpenAI is the chat's here. */
  get #openAiRealtime() {
    return {
      provider: 'openai',
      model: 'gpt-realtime',
      params: { base_url: this.realtime.baseUrl, api_key: KEYS.openai },
    };
  }
}
