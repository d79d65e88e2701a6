import { randomUUID } from 'node:crypto';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { browserLack, type Chromium, launchChromium } from '../browser/chromium.js';
import { type DeepgramEmulator, startDeepgramEmulator } from '../emulators/deepgram/server.js';
import { loadPhrasebook, type Phrase } from '../emulators/recognition/phrasebook.js';
import { runToEnd } from '../system/process.js';
import { LossyRelays } from './harness/lossy-relay.js';
import { SharedSystem } from './harness/shared-system.js';
import { spokenBy, timeline, wordsHeard } from './harness/spoken-timeline.js';
import { HEARD_RATE, TalkPage } from './harness/talk-page.js';

/**
 * A person in a browser talks to an agent: Chromium's microphone plays what simulated people say, at fixed times.
 * The recogniser is an emulated Deepgram, at which the tenant has a key of its own, that knows these phrases by their sound, because Opus leaves no byte of
 * them as it was; thinking and speaking are local. Packets are lost by a UDP relay between browser and worker.
 */
const KEY = 'dg-key-of-a-tenant';
const MINUTE = 60_000;
/** What is said when, after the microphone was opened, ms. */
const SAYS = [
  // Amid the greeting, which takes seven seconds: a barge-in.
  [5000, 'Yes, please, that would be good.'],
  [15_000, 'Tuesday would be best. Is there parking at the clinic?'],
  // Between these two the connection is cut and comes back. What was not understood is said again, as people do.
  ...[47, 68, 89, 110].flatMap(
    (atS) =>
      [
        [atS * 1000, 'In the morning, please.'],
        [(atS + 9) * 1000, 'My name is Sam Taylor.'],
      ] as const,
  ),
] as const;
const LENGTH_MS = 5 * MINUTE;
const AGENT_VOICE = demoAgent.voice_config.tts.params.espeak_voice;

let deepgram: DeepgramEmulator | undefined;
let system: SharedSystem;
let browser: Chromium | undefined;
const relays = new LossyRelays();
let talk: TalkPage;
let lack = browserLack();

/**
 * Checks whether the worker has mediasoup: its absence is a matter of the machine, any other refusal is a failure.
 */
async function webRtcLack(apiUrl: string, cookie: string): Promise<string | null> {
  const headers = { cookie, origin: apiUrl, 'content-type': 'application/json', 'x-sandbox': 'true' };
  const post = (path: string, body: unknown) =>
    fetch(`${apiUrl}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const made = await post('agents', { ...demoAgent, name: 'Only asks for WebRTC' });
  const { id } = (await made.json()) as { id: string };
  for (let tries = 0; ; tries++) {
    const answer = await post(`agents/${id}/test/webrtc`, {});
    const { detail } = (await answer.json()) as { detail?: string };
    // The control plane knows a worker's capabilities from heartbeats; the first one may be on its way.
    const isMissing = answer.status === 503 && /mediasoup.s worker/.test(String(detail));
    if (answer.status === 201 || tries >= 20) {
      await fetch(`${apiUrl}/api/v1/agents/${id}`, { method: 'DELETE', headers });
      if (answer.status === 201) return null;
      if (isMissing) return String(detail);
      throw new Error(`no WebRTC session: ${answer.status} ${detail}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const tenant = `talk ${randomUUID()}`;

async function link(page: 'dashboard' | 'talk'): Promise<string> {
  const { stdout } = await runToEnd({
    entry: 'infra/dist/cli/login.js',
    args: ['--page', page, '--tenant', tenant],
    env: { DATA_DIR: system.dataDir },
  });
  return stdout.trim();
}

async function cookieOf(apiUrl: string, address: string): Promise<string> {
  const token = new URLSearchParams(new URL(address).hash.slice(1)).get('token');
  const headers = { origin: apiUrl, 'content-type': 'application/json' };
  const body = JSON.stringify({ token });
  const signedIn = await fetch(`${apiUrl}/dashboard/session`, { method: 'POST', headers, body });
  return signedIn.headers.get('set-cookie')!.split(';')[0]!;
}

beforeAll(async () => {
  if (lack === null) await prepare();
  if (lack !== null) console.warn(`\n!!! The page /talk is NOT TESTED here: ${lack}\n`);
}, 2 * MINUTE);

async function prepare(): Promise<void> {
  system = new SharedSystem();
  const { apiUrl, deepgramPort: port } = system;
  const phrasebook = await loadPhrasebook(`http://127.0.0.1:${system.process('carrier').port}/phrasebook`);
  deepgram = await startDeepgramEmulator({ port, phrasebook, bySound: true, apiKeys: [KEY] });
  const cookie = await cookieOf(apiUrl, await link('dashboard'));
  lack = await webRtcLack(apiUrl, cookie);
  if (lack !== null) return;
  const headers = { cookie, origin: apiUrl, 'content-type': 'application/json' };
  const kept = await fetch(`${apiUrl}/api/v1/vendor-keys/deepgram`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ api_key: KEY }),
  });
  expect(kept.status, await kept.text()).toBe(200);
  const voice_config = { ...demoAgent.voice_config, stt: { provider: 'deepgram', model: 'nova-3' } };
  const made = await fetch(`${apiUrl}/api/v1/agents`, {
    method: 'POST',
    headers: { ...headers, 'x-sandbox': 'true' },
    body: JSON.stringify({ ...demoAgent, voice_config }),
  });
  expect(made.status).toBe(201);
  const said = SAYS.map(([atMs, text]) => ({
    atMs,
    phrase: phrasebook.find((phrase) => phrase.text === text)!,
  }));
  browser = await launchChromium(timeline(said, LENGTH_MS));
  const page = await browser.context.newPage();
  talk = await TalkPage.open(page, { link: await link('talk'), relays });
}

afterAll(async () => {
  await browser?.close();
  relays.close();
  await deepgram?.close();
}, MINUTE);

/**
 * Waits until the page has played these words of what can be heard in it: a browser that was starved plays what has
 * come later than the agent has said it. Returns all words heard.
 */
async function untilHeard(phrases: readonly Phrase[], words: RegExp): Promise<string> {
  let heard = '';
  const listen = async () => (heard = wordsHeard(await talk.heard(), phrases).join(' '));
  await expect.poll(listen, { timeout: 20_000, interval: 1000 }).toMatch(words);
  return heard;
}

/** Each step stands on the one before: one call, from the sign-in to the end. */
describe('a call from the page', () => {
  const step = (name: string, run: () => Promise<void>, timeoutMs = MINUTE) =>
    it(name, { timeout: timeoutMs }, async ({ skip }) => {
      if (lack !== null) skip(lack);
      onTestFailed(async () => {
        const shown = await talk?.page.locator('#lines li').allInnerTexts();
        console.error(
          `${system.tail(60)}\n${talk?.errors.join('\n')}\nThe page shows:\n${shown?.join('\n')}`,
        );
      });
      await run();
    });

  step('begins with one press of a button, after the link has signed in', async () => {
    await talk.untilPhase('ready', 90_000);
    expect(new URL(talk.page.url()).hash).toBe('');
    await talk.page.click('#talk');
    await talk.untilPhase('live', 90_000);
    expect(talk.offers).toEqual([{ pcId: undefined, restartPc: false }]);
    await talk.untilActivity('speaking', 90_000);
  });

  step(
    'is answered to what was said, and the agent stops where it is interrupted',
    async () => {
      await talk.untilSaid('caller', /Yes, please, that would be good/, 90_000);
      await talk.untilSaid('agent', /Which day suits you best/, 90_000);
      // The rest of the greeting is shown as not heard.
      const unheard = talk.page.locator('#lines li.agent .unheard').first();
      await unheard.waitFor({ timeout: 60_000 });
      expect((await unheard.textContent())!.length).toBeGreaterThan(5);
      await talk.untilSaid('caller', /Is there parking/, 90_000);
      await talk.untilSaid('agent', /free parking right behind the building/, 90_000);
    },
    2 * MINUTE,
  );

  step(
    'is heard in the browser as the agent says it',
    async () => {
      await talk.untilActivity('listening', 90_000);
      const answer = (await talk.lines('agent')).find((text) => text.includes('free parking'))!;
      const said = await spokenBy(AGENT_VOICE, [
        answer,
        'Which day suits you best?',
        demoAgent.first_message,
      ]);
      const heard = await untilHeard(said, /free parking right behind the building/);
      expect((await talk.heard()).length / 2 / HEARD_RATE).toBeGreaterThan(10);
      // What was interrupted was not played to its end.
      expect(heard).not.toContain(demoAgent.first_message.slice(-20));
    },
    2 * MINUTE,
  );

  step(
    'comes back by an ICE restart when the network was gone',
    async () => {
      const before = talk.offers.length;
      relays.loss = 1;
      await talk.untilPhase('reconnecting', 90_000);
      await expect.poll(() => talk.offers.length, { timeout: 60_000 }).toBeGreaterThan(before);
      relays.loss = 0;
      await talk.untilPhase('live', 90_000);
      const again = talk.offers[before]!;
      expect(again.restartPc).toBe(false);
      expect(again.pcId).toEqual(expect.any(String));
    },
    2 * MINUTE,
  );

  step(
    'goes on with a tenth of all packets lost, both ways',
    async () => {
      relays.loss = 0.1;
      await talk.untilSaid('caller', /In the morning, please/, MINUTE);
      await talk.untilSaid('caller', /My name is Sam Taylor/, 90_000);
      await talk.untilSaid('agent', /Thank you, Sam/, 90_000);
      await talk.untilActivity('listening', 90_000);
      expect(relays.lost).toBeGreaterThan(50);
      // What it asks next depends on how much of its greeting was heard before the interruption.
      const answers = await talk.lines('agent');
      const answer = answers.find((line) => line.startsWith('Thank you, Sam'))!;
      await untilHeard(await spokenBy(AGENT_VOICE, [answer]), /thank you,? sam|may i have|anything else/i);
      expect(await talk.page.textContent('#quality')).toMatch(/% lost/);
    },
    3 * MINUTE,
  );

  step('shows how long each answer took', async () => {
    const shown = await talk.page.locator('#lines li.agent .latency').allTextContents();
    expect(shown.length).toBeGreaterThanOrEqual(3);
    for (const text of shown) expect(text).toMatch(/^(\d+ ms|\d+\.\d\d s)$/);
    expect(await talk.page.textContent('#median')).toMatch(/^(\d+ ms|\d+\.\d\d s)$/);
  });

  step('is muted and hung up by the keyboard, and can be had again', async () => {
    relays.loss = 0;
    await talk.page.locator('body').press('m');
    expect(await talk.page.getAttribute('#mute', 'aria-pressed')).toBe('true');
    await talk.page.locator('body').press('m');
    await talk.page.locator('body').press('Escape');
    await talk.untilPhase('ended', 90_000);
    expect(await talk.page.textContent('#hint')).toMatch(/^You hung up\. It took \d+:\d\d\.$/);
    expect(await talk.page.textContent('#talk')).toBe('Talk again');
    await talk.page.click('#talk');
    await talk.untilPhase('live', 90_000);
    await talk.untilActivity('speaking', 90_000);
    await talk.page.click('#hang-up');
    await talk.untilPhase('ended', 90_000);
  });
});
