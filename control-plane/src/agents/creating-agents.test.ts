import { asTenantId, newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import type { AgentResponse } from './schemas.js';
import { AgentsScene, MINIMAL } from './testing/agents-scene.js';

const scene = new AgentsScene();

describe('creating an agent', () => {
  it('given a name and a prompt, fills in defaults that work without any vendor', async () => {
    const agent = await scene.create();
    expect(agent).toMatchObject({
      ...MINIMAL,
      pipeline_type: 'cascaded',
      language: 'en-US',
      is_active: true,
      experimental: false,
      voice_config: { stt: { provider: 'local' }, llm: { provider: 'local' }, tts: { provider: 'local' } },
      calling_hours: { timezone: null, sunday: { start: '08:00', end: '21:00' } },
      disclosure: { position: 'before_first_message' },
      tools: [{ type: 'end_call', name: 'end_call' }],
      voicemail: { detect: true, action: 'hangup' },
      recording: { enabled: true },
      metadata: {},
    });
    expect(agent.disclosure.text).toMatch(/AI/);
    expect(agent.turn_taking.min_endpointing_ms).toBe(400);
    expect(agent.turn_taking.preemptive_generation).toBe('llm');
    expect((await scene.request('GET', `/api/v1/agents/${agent.id}`)).json).toEqual(agent);
  });

  it("given a vendor's key on this installation, uses that vendor by default", async () => {
    const agents = scene.service({ deepgram: { apiKey: 'k' }, openai: { apiKey: 'k' } });
    const { agentCreate } = await import('./schemas.js');
    const agent = await agents.create(asTenantId(scene.tenantId), newId(), agentCreate.parse(MINIMAL), null);
    expect(agent.voice_config).toMatchObject({
      stt: { provider: 'deepgram' },
      llm: { provider: 'openai' },
      tts: { provider: 'local' },
    });
  });

  // @rule 7.6
  it.each([
    [{ frist_message: 'Hello' }, 'frist_message'],
    [{ recording: { enable: false } }, 'recording.enable'],
    [{ disclosure: { txt: 'An AI calls.' } }, 'disclosure.txt'],
    [{ calling_hours: { sundays: null } }, 'calling_hours.sundays'],
    [{ tools: [{ type: 'end_call', descripton: 'Ends it.' }] }, 'tools.0.descripton'],
    [{ voice_config: { tts: { provider: 'local', voice: 'en' } } }, 'voice_config.tts.voice'],
    [{ nudge_presets: [{ label: 'a', text: 'b', txt: 'c' }] }, 'nudge_presets.0.txt'],
  ])('given a mistyped setting (%j), refuses it by name, in a change too', async (setting, field) => {
    const { id } = await scene.create();
    for (const answer of [
      await scene.request('POST', '/api/v1/agents', { ...MINIMAL, ...setting }),
      await scene.patch(id, setting),
    ]) {
      expect([answer.status, answer.json]).toMatchObject([422, { code: 'validation_error' }]);
      const { detail } = answer.json as { detail: { loc: unknown[] }[] };
      expect(detail.map(({ loc }) => loc.join('.'))).toEqual([`body.${field}`]);
    }
  });

  const http = (changes: object) => ({
    tools: [{ type: 'http', name: 'look', url: 'https://shop.example/', ...changes }],
  });
  const model = (params: object) => ({ llm: { provider: 'openai', model: 'm', params } });
  const inParams = 'body.voice_config.llm.params';

  // @rule 7.6
  it.each<[string, object, string]>([
    ['a tool at a private address', http({ url: 'http://10.0.0.7/' }), 'body.tools.0.url'],
    ['a tool at a disguised address', http({ url: 'http://[::ffff:10.0.0.7]/' }), 'body.tools.0.url'],
    ['a tool in a file', http({ url: 'file:///etc/passwd' }), 'body.tools.0.url'],
    ['a header with a line break', http({ headers: { 'x-a': 'b\r\nc: d' } }), 'body.tools.0.headers.x-a'],
    ['a header that is none', http({ headers: { 'a b': 'c' } }), 'body.tools.0.headers.a b'],
    [
      'a secret header with a line break',
      http({ secret_headers: { 'x-a': 'b\r\nc: d' } }),
      'body.tools.0.secret_headers.x-a',
    ],
    [
      'arguments that are no object',
      http({ parameters: { type: 'string' } }),
      'body.tools.0.parameters.type',
    ],
    [
      'arguments that are described in unsupported keywords',
      http({ parameters: { type: 'object', properties: { a: { items: [{ pattern: '^(a+)+$' }] } } } }),
      'body.tools.0.parameters.properties.a.items',
    ],
    [
      'arguments with a pattern that backtracks',
      http({ parameters: { type: 'object', properties: { a: { anyOf: [{ pattern: '(?<=a)b' }] } } } }),
      'body.tools.0.parameters.properties.a.anyOf.0.pattern',
    ],
    [
      'an extraction schema with additionalItems',
      { analysis: { extraction_schema: { a: { type: 'array', additionalItems: { pattern: '^(a+)+$' } } } } },
      'body.analysis.extraction_schema.a.additionalItems',
    ],
    [
      'an extraction schema with an unknown keyword',
      { analysis: { extraction_schema: { type: 'object', properties: { a: { maximun: 3 } } } } },
      'body.analysis.extraction_schema.properties.a.maximun',
    ],
    [
      'a model at a metadata address',
      { voice_config: model({ base_url: 'http://169.254.169.254/v1' }) },
      `${inParams}.base_url`,
    ],
    ['a model in a file', { voice_config: model({ base_url: 'file:///v1' }) }, `${inParams}.base_url`],
    ['a temperature of 99', { voice_config: model({ temperature: 99 }) }, `${inParams}.temperature`],
    [
      'a private fallback model',
      { fallback_voice_config: model({ base_url: 'http://192.168.0.1/' }) },
      'body.fallback_voice_config.llm.params.base_url',
    ],
  ])('refuses what no call could use: %s', async (_, settings, place) => {
    const { id } = await scene.create();
    for (const answer of [
      await scene.request('POST', '/api/v1/agents', { ...MINIMAL, ...settings }),
      await scene.patch(id, settings),
    ]) {
      expect([answer.status, answer.json]).toMatchObject([422, { code: 'validation_error' }]);
      const places = (answer.json as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc.join('.'));
      expect(places).toEqual([place]);
    }
  });

  it('fills in the providers that a partial voice_config leaves out', async () => {
    const agent = await scene.create({
      voice_config: { tts: { provider: 'elevenlabs', params: { voice_id: 'v' } } },
    });
    expect(agent.voice_config).toEqual({
      stt: { provider: 'local', model: '', params: {} },
      llm: { provider: 'local', model: '', params: {} },
      tts: { provider: 'elevenlabs', model: '', params: { voice_id: 'v' } },
    });
  });

  // @rule 2.11
  it.each([
    [{ stt: { provider: 'deepgram', model: 'nova-3' } }, false],
    [{ stt: { provider: 'deepgram', model: 'nova-3-medical' } }, false],
    [{ stt: { provider: 'deepgram', model: 'base' } }, true],
    [
      { llm: { provider: 'openai', model: 'llama-3', params: { base_url: 'https://llm.example/v1' } } },
      false,
    ],
    [{ tts: { provider: 'somebody-new' } }, true],
    [{ realtime: undefined, stt: { provider: 'local' } }, false],
  ])('marks %j as experimental: %s', async (voice_config, experimental) => {
    expect((await scene.create({ voice_config })).experimental).toBe(experimental);
  });

  it('gives a realtime agent one speech-to-speech provider', async () => {
    const agent = await scene.create({
      pipeline_type: 'realtime',
      voice_config: { realtime: { provider: 'openai' } },
    });
    expect(agent.voice_config).toEqual({ realtime: { provider: 'openai', model: '', params: {} } });
  });

  it.each([
    ['nothing', {}, ['body.name', 'body.system_prompt']],
    ['no object', [], ['body']],
    ['an unknown pipeline', { ...MINIMAL, pipeline_type: 'magic' }, ['body.pipeline_type']],
    [
      'a realtime provider in a cascade',
      { ...MINIMAL, voice_config: { realtime: { provider: 'openai' } } },
      ['body.voice_config.realtime'],
    ],
    [
      'an stt in a realtime agent',
      { ...MINIMAL, pipeline_type: 'realtime', voice_config: { stt: { provider: 'local' } } },
      ['body.voice_config.stt'],
    ],
    [
      'a provider without a name',
      { ...MINIMAL, voice_config: { stt: { model: 'x' } } },
      ['body.voice_config.stt.provider'],
    ],
    [
      'hours that end before they begin',
      { ...MINIMAL, calling_hours: { monday: { start: '10:00', end: '09:00' } } },
      ['body.calling_hours.monday.end'],
    ],
    [
      'a time zone that is none',
      { ...MINIMAL, calling_hours: { timezone: 'Mars/Olympus' } },
      ['body.calling_hours.timezone'],
    ],
    ['a language that is none', { ...MINIMAL, language: 'english!' }, ['body.language']],
    ['a language that no provider speaks', { ...MINIMAL, language: 'klingon' }, ['body.language']],
    [
      'thresholds that contradict',
      { ...MINIMAL, turn_taking: { vad_on: 0.3, vad_off: 0.6 } },
      ['body.turn_taking.vad_off'],
    ],
    [
      'a kind of preemptive generation that there is not',
      { ...MINIMAL, turn_taking: { preemptive_generation: 'voice' } },
      ['body.turn_taking.preemptive_generation'],
    ],
    [
      'two tools of one name',
      { ...MINIMAL, tools: [{ type: 'end_call' }, { type: 'end_call' }] },
      ['body.tools'],
    ],
    ['a tool of an unknown type', { ...MINIMAL, tools: [{ type: 'magic' }] }, ['body.tools.0.type']],
    [
      'a transfer to no E.164 number',
      { ...MINIMAL, transfer_destinations: [{ name: 'x', phone_number: '911' }] },
      ['body.transfer_destinations.0.phone_number'],
    ],
  ])('refuses %s', async (_what, body, places) => {
    expect(await scene.refusal(body)).toEqual(places);
  });

  it('keeps JSON Schemas with dollars and dots as they are', async () => {
    const parameters = {
      type: 'object',
      $defs: { 'a.b': { type: 'string' } },
      properties: { $where: { $ref: '#/$defs/a.b' } },
    };
    const agent = await scene.create({
      tools: [{ type: 'http', name: 'look_up', url: 'https://example.com/x', parameters }],
      metadata: { $set: { 'x.y': 1 } },
    });
    const again = (await scene.request('GET', `/api/v1/agents/${agent.id}`)).json as AgentResponse;
    expect(again.tools[0]).toMatchObject({ parameters });
    expect(again.metadata).toEqual({ $set: { 'x.y': 1 } });
  });
});
