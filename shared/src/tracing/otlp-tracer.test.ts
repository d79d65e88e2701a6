import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../clock/clock.js';
import { ScriptedClock } from '../clock/scripted-clock.js';
import { rootSpanId, traceIdOf } from '../ids/call-trace.js';
import { silentLog } from '../log/log.js';
import { createTracer } from './otlp-tracer.js';
import { type TracingSettings, tracingSettings, tracingVariables } from './settings.js';
import { startTraceCollector, type TraceCollector } from './testing/trace-collector.js';
import { NO_TRACING, traced } from './tracer.js';

const CALL = '0199c0de-0000-7000-8000-00000000abcd';
const AT = Date.UTC(2026, 0, 5);

const settingsOf = (env: Record<string, string>) =>
  tracingSettings(z.object(tracingVariables).parse(env)) as TracingSettings;

describe('tracing to a collector', () => {
  let collector: TraceCollector;
  const clock = new ScriptedClock();
  const warnings: unknown[] = [];
  const tracerWith = (env: Record<string, string> = {}) =>
    createTracer({
      settings: settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otel/`, ...env }),
      resource: { 'service.name': 'control-plane' },
      clock,
      log: { ...silentLog, warn: (fields) => void warnings.push(fields) },
    });
  const span = (name: string) => ({ callId: CALL, name, startedAt: AT, endedAt: AT + 2.5 });

  beforeEach(async () => {
    warnings.length = 0;
    collector = await startTraceCollector();
  });
  afterEach(() => collector.close());

  it('sends spans under the root of their call, with headers and resource', async () => {
    const tracer = tracerWith({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20cGs6c2s%3D, x-tenant=a',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_SERVICE_NAME: 'voice',
    });
    tracer.record({
      ...span('dial'),
      kind: 'client',
      attributes: { carrier: 'twilio', tries: 2, share: 0.5, ok: true, codes: ['a'], none: undefined },
      error: 'refused by +14155550105',
    });
    tracer.record({ ...span('call'), id: rootSpanId(CALL), parentId: null });
    await tracer.close();

    const [request] = collector.requests;
    expect(request?.path).toBe('/otel/v1/traces');
    expect(request?.headers).toMatchObject({ authorization: 'Basic cGs6c2s=', 'x-tenant': 'a' });
    expect(collector.received[0]?.resourceSpans[0]?.resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'voice' } },
      { key: 'deployment.environment', value: { stringValue: 'test' } },
    ]);
    const [dial, root] = collector.spans();
    expect(root).toMatchObject({ traceId: '0199c0de00007000800000000000abcd', spanId: rootSpanId(CALL) });
    expect(root).not.toHaveProperty('parentSpanId');
    expect(dial).toMatchObject({
      traceId: traceIdOf(CALL),
      parentSpanId: rootSpanId(CALL),
      kind: 3,
      startTimeUnixNano: `${AT}000000`,
      endTimeUnixNano: `${AT + 2}500000`,
      status: { code: 2, message: 'refused by +1415•••0105' },
    });
    expect(dial?.attributes).toEqual([
      { key: 'call.id', value: { stringValue: CALL } },
      { key: 'carrier', value: { stringValue: 'twilio' } },
      { key: 'tries', value: { intValue: '2' } },
      { key: 'share', value: { doubleValue: 0.5 } },
      { key: 'ok', value: { boolValue: true } },
      { key: 'codes', value: { arrayValue: { values: [{ stringValue: 'a' }] } } },
    ]);
    expect(tracer.counts).toEqual({ exported: 2, dropped: 0 });
  });

  it('sends again what a collector could not take for now, and warns once', async () => {
    collector.answer(503);
    const tracer = tracerWith({ OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' });
    tracer.record(span('a'));
    tracer.record(span('b'));
    await tracer.close();
    expect(collector.spans().map(({ name }) => name)).toEqual(['a', 'b']);
    expect(tracer.counts).toEqual({ exported: 2, dropped: 0 });
    expect(warnings).toEqual([{ reason: 'the collector answered 503' }]);
  });

  it('counts what is refused for good and what the queue has no room for', async () => {
    collector.answer(400);
    const tracer = tracerWith({ OTEL_BSP_MAX_QUEUE_SIZE: '2' });
    for (const name of ['a', 'b', 'c']) tracer.record(span(name));
    expect(tracer.counts).toEqual({ exported: 0, dropped: 1 });
    await tracer.close();
    tracer.record(span('late'));
    expect(tracer.counts).toEqual({ exported: 0, dropped: 4 });
  });

  it('waits the delay before it sends', async () => {
    const tracer = tracerWith({ OTEL_BSP_SCHEDULE_DELAY: '200' });
    tracer.record(span('a'));
    clock.advance(199);
    await new Promise(setImmediate);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(clock.pending).toBe(0);
    await tracer.close();
    expect(collector.spans()).toHaveLength(1);
  });

  it('traces the same share of calls everywhere', async () => {
    const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
    for (const tracer of [tracerWith(env), tracerWith(env)]) {
      tracer.record({ ...span('in'), callId: '0199c0de-0000-7000-8000-00007fffffff' });
      tracer.record({ ...span('out'), callId: '0199c0de-0000-7000-8000-000080000000' });
      await tracer.close();
    }
    expect(collector.spans().map(({ name }) => name)).toEqual(['in', 'in']);
  });

  it('records a task with what came of it, also when it throws', async () => {
    const tracer = tracerWith();
    const tracing = { tracer, clock };
    await traced(
      tracing,
      { callId: CALL, name: 'ok' },
      async () => 7,
      (n) => ({ attributes: { n } }),
    );
    const failing = traced(tracing, { callId: CALL, name: 'bad' }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await tracer.close();
    expect(collector.spans()).toMatchObject([
      { name: 'ok', attributes: [{}, { key: 'n', value: { intValue: '7' } }] },
      { name: 'bad', status: { code: 2, message: 'Error: no' } },
    ]);
  });
});

it('stops within a second although the collector does not answer', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const clock = new ScriptedClock();
  const tracer = createTracer({
    settings: settingsOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    }),
    resource: {},
    clock,
    log: silentLog,
  });
  tracer.record({ callId: CALL, name: 'a', startedAt: AT, endedAt: AT });
  const closed = tracer.close();
  await new Promise(setImmediate);
  clock.advance(1000);
  await closed;
  expect(tracer.counts).toEqual({ exported: 0, dropped: 1 });
  silent.close();
});

describe('settings', () => {
  it('switch tracing off without an endpoint, when disabled and for a share of none', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(settingsOf(endpoint).url).toBe('http://127.0.0.1:4318/v1/traces');
    for (const env of [
      {},
      { ...endpoint, OTEL_SDK_DISABLED: 'true' },
      { ...endpoint, OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    ]) {
      const settings = settingsOf(env);
      expect(settings).toBeUndefined();
      const tracer = createTracer({ settings, resource: {}, clock: systemClock, log: silentLog });
      expect(tracer).toBe(NO_TRACING);
    }
  });

  it('name a wrong variable without its value, which may hold a key', () => {
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'sk-secret',
    };
    const expected = 'OTEL_EXPORTER_OTLP_HEADERS: expected name=value pairs by comma, percent-encoded';
    expect(() => settingsOf(env)).toThrow(expected);
    expect(settingsOf({ ...env, OTEL_EXPORTER_OTLP_HEADERS: '' }).url).toBe('https://collector.example/in');
  });
});
