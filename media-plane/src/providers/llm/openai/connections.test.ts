import type { Socket } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { buildConnector } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../../loadtest/emulators/openai/server.js';
import { selfSigned } from '../../../../../loadtest/emulators/serving/self-signed.js';
import { createOpenAiLanguageModel, type OpenAiLanguageModel } from './openai.js';

const TURNS = 6;
const certificate = selfSigned();

/** Opens connections, none of them while it is shut. */
class Gate {
  readonly #connect = buildConnector({ allowH2: true, ca: certificate.cert });
  #isShut = false;
  #waiting: (() => void)[] = [];
  opened = 0;
  readonly sockets: Socket[] = [];

  readonly connect: buildConnector.connector = (target, onConnected) => {
    this.#connect(target, (...connected) => {
      const pass = () => {
        this.opened += 1;
        if (connected[1]) this.sockets.push(connected[1]);
        onConnected(...connected);
      };
      if (this.#isShut) this.#waiting.push(pass);
      else pass();
    });
  };

  shut(): void {
    this.#isShut = true;
  }

  open(): void {
    this.#isShut = false;
    for (const pass of this.#waiting.splice(0)) pass();
  }
}

/** An abort leaves a connection of HTTP/2 as it was; of HTTP/1.1 it costs two: the SDK's client asks for one more. */
const VERSIONS = [
  { version: 'HTTP/2', tls: certificate, openedAfter: () => 2 },
  { version: 'HTTP/1.1', openedAfter: (turns: number) => 1 + 2 * turns },
];

describe.each(VERSIONS)(
  "the OpenAI adapter's connections over $version",
  ({ version, openedAfter, ...options }) => {
    let emulator: OpenAiEmulator;
    let model: OpenAiLanguageModel;
    let gate: Gate;
    let clock: ScriptedClock;

    beforeEach(async () => {
      emulator = await startOpenAiEmulator({ firstTokenDelayMs: 1, tokenDelayMs: 1, ...options });
      gate = new Gate();
      const egress = createAddressPolicy(['127.0.0.0/8']);
      clock = new ScriptedClock();
      model = createOpenAiLanguageModel({ egress, clock, connect: gate.connect });
    });

    afterEach(async () => {
      await model.close();
      await emulator.close();
    });

    const target = (baseUrl = emulator.baseUrl) => ({
      choice: { provider: 'openai', model: '', params: {} },
      credentials: { api_key: 'key', base_url: baseUrl },
    });

    /** Asks for an answer that the caller interrupts at its first words. */
    async function interruptedTurn(): Promise<void> {
      const turn = new AbortController();
      const request = {
        ...target(),
        messages: [{ role: 'user', content: 'Where are you?' }] as const,
        tools: [],
      };
      for await (const event of model.generate(request, turn.signal)) if (event.type === 'text') turn.abort();
    }

    it('wait for none in a prepared call, whose caller interrupts every answer', async () => {
      const preparation = model.prepare(target());
      await preparation.ready;
      for (let turn = 1; turn <= TURNS; turn++) {
        gate.shut();
        await interruptedTurn();
        gate.open();
        await expect.poll(() => gate.opened).toBe(openedAfter(turn));
      }
      const connections = openedAfter(TURNS);
      await expect.poll(() => emulator.counters).toMatchObject({ aborted: TURNS, connections });
      preparation.release();
    });

    it('are opened anew when the server ends those that wait', async () => {
      const preparation = model.prepare(target());
      await preparation.ready;
      // What a server of HTTP/2 says first has come.
      await expect.poll(() => gate.sockets[0]?.bytesRead ?? 0).toBeGreaterThan(version === 'HTTP/2' ? 0 : -1);
      clock.advance(6000);
      emulator.endConnections();
      await expect.poll(() => emulator.counters).toMatchObject({ connections: 2, open: 1 });
      await interruptedTurn();
      preparation.release();
    });

    it('are bounded for many calls at once, and closed when the last of them is over', async () => {
      const calls = Array.from({ length: 50 }, () => model.prepare(target()));
      await Promise.all(calls.map(({ ready }) => ready));
      expect(emulator.counters.connections).toBeLessThanOrEqual(4);
      for (const call of calls) {
        call.release();
        call.release();
      }
      await expect.poll(() => emulator.counters.open).toBe(0);
    });

    it('say so when there are none to be had, and ask for none without a key', async () => {
      await emulator.close();
      const { ready, release } = model.prepare(target());
      await expect(ready).rejects.toMatchObject({ code: 'llm_unavailable', retryable: true });
      release();
      const keyless = { ...target('https://api.openai.com/v1'), credentials: {} };
      await expect(model.prepare(keyless).ready).rejects.toMatchObject({ code: 'llm_unauthorized' });
    });
  },
);
