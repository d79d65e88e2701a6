import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { NO_TRACING } from '@voice/shared/tracing/tracer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallStatistics } from '../call/call-statistics.js';
import { noUsage } from '../call/no-usage.js';
import { CallRegistry } from '../call/registry.js';
import { UNKNOWN_RECOGNISER } from '../call/turn-taking/recogniser-habits.js';
import type { EventSpool } from '../control-link/event-spool.js';
import type { HeartbeatLoop } from '../control-link/heartbeat.js';
import { CircuitBreakers } from '../providers/resilience/circuit-breakers.js';
import { testCallPlan } from '../testing/call-plan.js';
import { addHealthRoutes } from './health-routes.js';

describe("the worker's health", () => {
  const clock = new ScriptedClock();
  const openAi = { provider: 'openai', model: '', params: {} };
  let breakers: CircuitBreakers;
  let statistics: CallStatistics;
  let listening: us_listen_socket;
  let base: string;
  const load = { isOverloaded: false, lag: { p50Ms: 1, p99Ms: 25 } };

  beforeEach(async () => {
    breakers = new CircuitBreakers(clock);
    statistics = new CallStatistics();
    const app = App();
    addHealthRoutes(app, {
      registry: new CallRegistry({ capacity: 2, clock, onExpired: () => {} }),
      spool: { pendingCount: 0, unwrittenCount: 0, droppedCount: 0 } as EventSpool,
      storage: { full: false },
      heartbeat: { reachable: true } as HeartbeatLoop,
      breakers,
      load,
      statistics,
      speechCache: { hits: 7, misses: 2, bytes: 1600 },
      strayErrors: { count: 3 },
      tracer: NO_TRACING,
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
        'worker_places 2',
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

  it('has what speculative answers came to in its metrics, and what was used in vain', async () => {
    const endOfTurn = { name: 'end_of_turn', turn: 1, speechEndedAt: 1000, decidedAt: 1400 } as const;
    statistics.report({ ...endOfTurn, preempted: true });
    statistics.report({ ...endOfTurn, preempted: false });
    statistics.report({ name: 'speculation_dropped', turn: 2 });
    const plan = testCallPlan();
    const source = { provider: 'openai', model: '', fallback: false, reason: 'lost_race' } as const;
    const usage = {
      ...noUsage(plan),
      wasted: [
        { kind: 'llm' as const, ...source, input_tokens: 300, output_tokens: 9 },
        { kind: 'tts' as const, ...source, provider: 'local', reason: 'cut_speech' as const, characters: 40 },
      ],
    };
    statistics.ended(plan, usage, UNKNOWN_RECOGNISER);
    statistics.ended(plan, usage, UNKNOWN_RECOGNISER);
    const lines = (await (await fetch(`${base}/metrics`)).text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'worker_caller_turns_total 2',
        'worker_stray_errors_total 3',
        'worker_speculative_answers_total{outcome="kept"} 1',
        'worker_speculative_answers_total{outcome="dropped"} 1',
        'worker_wasted_tokens_total{provider="openai",reason="lost_race",direction="input"} 600',
        'worker_wasted_tokens_total{provider="openai",reason="lost_race",direction="output"} 18',
        'worker_wasted_characters_total{provider="local",reason="cut_speech"} 80',
      ]),
    );
  });
});
