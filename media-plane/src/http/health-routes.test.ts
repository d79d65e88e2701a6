import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallRegistry } from '../call/registry.js';
import type { EventSpool } from '../control-link/event-spool.js';
import type { HeartbeatLoop } from '../control-link/heartbeat.js';
import { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';
import { addHealthRoutes } from './health-routes.js';

describe("the worker's health", () => {
  const clock = new ScriptedClock();
  const openAi = { provider: 'openai', model: '', params: {} };
  let breakers: CircuitBreakers;
  let listening: us_listen_socket;
  let base: string;
  const load = { isOverloaded: false, lag: { p50Ms: 1, p99Ms: 25 } };

  beforeEach(async () => {
    breakers = new CircuitBreakers(clock);
    const app = App();
    addHealthRoutes(app, {
      registry: new CallRegistry({ capacity: 2, clock, onExpired: () => {} }),
      spool: { pendingCount: 0, unwrittenCount: 0, droppedCount: 0 } as EventSpool,
      storage: { full: false },
      heartbeat: { reachable: true } as HeartbeatLoop,
      breakers,
      load,
    });
    listening = await new Promise((resolve) => {
      app.listen('127.0.0.1', 0, (socket) => {
        if (socket) resolve(socket);
      });
    });
    base = `http://127.0.0.1:${us_socket_local_port(listening)}`;
  });
  afterEach(() => us_listen_socket_close(listening));

  it('names the providers that fail; that is no reason against calls', async () => {
    const breaker = breakers.find('llm', openAi);
    breakers.find('tts', { ...openAi, provider: 'elevenlabs' }).begin()('ok');
    for (let time = 0; time < 5; time++) breaker.begin()('failed');
    const response = await fetch(`${base}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        status: 'ready',
        reasons: [],
        providers: [
          { kind: 'llm', provider: 'openai', circuit: 'open' },
          { kind: 'tts', provider: 'elevenlabs', circuit: 'closed' },
        ],
      },
    ]);
  });

  it('has the providers in its metrics, the same however often they are read', async () => {
    const breaker = breakers.find('llm', openAi);
    breaker.begin()('ok');
    for (let time = 0; time < 5; time++) breaker.begin()('slow');
    const read = async () => (await (await fetch(`${base}/metrics`)).text()).split('\n');
    await read();
    expect(await read()).toEqual(
      expect.arrayContaining([
        'worker_provider_circuit_open{kind="llm",provider="openai"} 1',
        'worker_provider_results_total{kind="llm",provider="openai",outcome="ok"} 1',
        'worker_provider_results_total{kind="llm",provider="openai",outcome="slow"} 5',
        'worker_provider_circuit_opened_total{kind="llm",provider="openai"} 1',
        'worker_places_free 2',
      ]),
    );
    load.isOverloaded = true;
    expect(await read()).toEqual(
      expect.arrayContaining([
        'worker_event_loop_lag_p99_seconds 0.025',
        'worker_overloaded 1',
        'worker_places_free 0',
      ]),
    );
    load.isOverloaded = false;
    clock.advance(10_000);
    expect(breaker.admits()).toBe(true);
    expect(await read()).toContain('worker_provider_circuit_open{kind="llm",provider="openai"} 0.5');
  });
});
