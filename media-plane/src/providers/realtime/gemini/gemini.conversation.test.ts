import { PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { demoAgent, demoLines } from '@voice/shared/contracts/demo-agent';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { silentLog } from '@voice/shared/log/log';
import { expect, it } from 'vitest';
import { startGeminiLiveEmulator } from '../../../../../loadtest/emulators/gemini-live/server.js';
import type { Phrase } from '../../../../../loadtest/emulators/recognition/phrasebook.js';
import { framesOf } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import type { RealtimeEvent } from '../port.js';
import { eventually, plain, RealtimeListener } from '../testing/listener.js';
import { createGeminiLive } from './gemini.js';

const END_CALL = {
  name: 'end_call',
  description: 'Ends the call after the goodbye.',
  parameters: { type: 'object' },
};

async function spoken(voice: LocalVoice, text: string): Promise<Phrase> {
  const parts: Uint8Array[] = [];
  const words = [];
  for await (const chunk of voice.speak({ text, language: 'en-US', voice: '+m3' })) {
    parts.push(chunk.audio);
    words.push(...(chunk.words ?? []));
  }
  return { text, words, audio: new Uint8Array(Buffer.concat(parts)) };
}

it('holds the demo conversation in spoken audio', async () => {
  const voice = startKeptVoice();
  const phrasebook: Phrase[] = [];
  for (const line of demoLines.talks) phrasebook.push(await spoken(voice, line));
  voice.close();
  const emulator = await startGeminiLiveEmulator({
    phrasebook,
    delays: { firstAudioDelayMs: 5, transcriptionDelayMs: 0 },
    speed: 1000,
    playSpeed: 1000,
  });
  const events: RealtimeEvent[] = [];
  const session = createGeminiLive({ egress: createAddressPolicy([]) }).open({
    choice: { provider: 'gemini', model: '', params: {} },
    credentials: { api_key: 'any', base_url: emulator.url },
    instructions: demoAgent.system_prompt,
    language: 'en-US',
    tools: [END_CALL],
    format: PCMU_8K,
    turnDetection: 'ours',
    history: [],
    clock: systemClock,
    log: silentLog,
    onEvent: (event) => events.push(event),
  });
  const listener = new RealtimeListener(session, events, PCMU_8K);
  try {
    await listener.completed(session.respond({ verbatim: demoAgent.first_message }));
    const answers: string[] = [];
    for (const phrase of phrasebook) {
      const response = listener.ask(framesOf(phrase.audio));
      await listener.completed(response);
      answers.push(plain(listener.text(response)));
    }
    expect(answers[0]).toContain('Which day suits you best?');
    expect(answers[1]).toContain('parking right behind the building');
    expect(answers[1]).toContain('morning or the afternoon');
    expect(answers[2]).toContain('full name');
    expect(answers[3]).toContain('Thank you, Sam');
    expect(answers[4]).toContain('Goodbye');
    expect(listener.of('tool_call').map(({ call }) => call.name)).toEqual(['end_call']);
    await eventually(() => expect(listener.heard().map(plain)).toEqual([...demoLines.talks]));
  } finally {
    session.close();
    await emulator.close();
  }
});
