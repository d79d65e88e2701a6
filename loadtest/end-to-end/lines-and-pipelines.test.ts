import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import {
  SANDBOX_CALLER_ID,
  type SimulatedBehavior,
  TEST_NUMBERS,
} from '@voice/shared/contracts/test-numbers';
import { SPOKEN_TEXTS } from '@voice/shared/local-voice/testing/kept-voice';
import { createLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedCarrier, startSimulatedCarrier } from '../../infra/simulated-carrier/carrier.js';
import { type PlivoEmulator, startPlivoEmulator } from '../emulators/plivo/server.js';
import type { Phrase } from '../emulators/recognition/phrasebook.js';
import { startTelnyxEmulator, type TelnyxEmulator } from '../emulators/telnyx/server.js';
import { type CallDetail, expectStatus, isOver, Tenant } from '../system/tenant.js';
import {
  CALLER_SAYS,
  CALLERS,
  FREE_SLOT,
  MODEL_SCRIPT,
  receptionist,
} from './harness/dental-conversation.js';
import { checkConversation } from './harness/dental-expectations.js';
import { EmulatedVendors, PIPELINES, type Pipeline } from './harness/emulated-vendors.js';
import { RoomForCalls } from './harness/room-for-calls.js';
import { SeparateSystem } from './harness/separate-system.js';
import { type TelnyxPeople, telnyxPeople } from './harness/telnyx-people.js';
import { talkByWebRtc, whyNoWebRtc } from './harness/webrtc-person.js';
import { talkByWebSocket } from './harness/websocket-person.js';

const noWebRtc = whyNoWebRtc();
const LINES = [
  'Twilio',
  'Telnyx',
  'Plivo',
  'WebSocket mu-law',
  'WebSocket 16 kHz',
  ...(noWebRtc ? [] : ['WebRTC']),
] as const;
type Line = (typeof LINES)[number];
const CARRIERS: readonly Line[] = ['Twilio', 'Telnyx', 'Plivo'];
/** Those that production keys call over; Twilio's protocols are spoken by the sandbox's carrier. */
const PRODUCTION = ['Telnyx', 'Plivo'] as const;
type ProductionLine = (typeof PRODUCTION)[number];
const CALL_WITHIN_MS = 220_000;
/** With its wait for those before it, on a machine that has time for one at a time. */
const HELD_WITHIN_MS = 900_000;

/** At Telnyx and Plivo. New York: one party's consent is enough to record. */
const NUMBERS = { '+16465550180': 'talks', '+16465550181': 'stays_silent' } as const;
const TELNYX = { apiKey: 'telnyx-key', connectionId: '42' };
const PLIVO = { authId: 'MAENDTOEND', authToken: 'plivo-token', appId: '7' };
const SIMULATED = { accountSid: `AC${'1'.repeat(32)}`, authToken: '1'.repeat(32) };
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

let tools: Server;
let people: TelnyxPeople;
let vendors: EmulatedVendors;
let carrier: SimulatedCarrier;
let telnyx: TelnyxEmulator;
let plivo: PlivoEmulator;
let system: SeparateSystem;
/** Of a sandbox, and one that may call everybody. */
let sandbox: Tenant;
let production: Tenant;
const ownNumbers = new Map<ProductionLine, string>();
const seen: string[] = [];

beforeAll(async () => {
  tools = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(FREE_SLOT);
  });
  await new Promise<void>((resolve) => tools.listen(0, '127.0.0.1', resolve));
  people = await telnyxPeople(NUMBERS, CALLERS);
  vendors = await EmulatedVendors.start(ofThisConversation(people.phrasebook), MODEL_SCRIPT);
  carrier = await startSimulatedCarrier({
    ...SIMULATED,
    port: 0,
    people: CALLERS,
    spokenTexts: SPOKEN_TEXTS,
    log: createLog({ name: 'carrier', level: 'error' }),
  });
  telnyx = await startTelnyxEmulator({ ...TELNYX, phones: people.phones });
  plivo = await startPlivoEmulator({ ...PLIVO, phones: people.phones });
  const loopback = { EGRESS_ALLOW: '127.0.0.1/32' };
  system = await SeparateSystem.start(
    {
      ...vendors.env,
      ...loopback,
      TELNYX_API_URL: telnyx.url,
      TELNYX_API_KEY: TELNYX.apiKey,
      TELNYX_CONNECTION_ID: TELNYX.connectionId,
      TELNYX_PUBLIC_KEY: telnyx.publicKey,
      PLIVO_API_URL: plivo.url,
      PLIVO_AUTH_ID: PLIVO.authId,
      PLIVO_AUTH_TOKEN: PLIVO.authToken,
      PLIVO_APP_ID: PLIVO.appId,
    },
    { carrier: { ...SIMULATED, url: carrier.url }, workerEnv: loopback },
  );
  telnyx.webhooks.url = `${system.apiUrl}/internal/carriers/telnyx/events`;
  const base = `${system.apiUrl}/internal/carriers/plivo`;
  plivo.calls.application = { answerUrl: `${base}/inbound`, hangupUrl: `${base}/status` };
  sandbox = await Tenant.create(system, agentOf('cascaded', '+15005550015'));
  production = await Tenant.create(system, agentOf('cascaded', '+16465550181'), { sandbox: false });
  for (const line of PRODUCTION) ownNumbers.set(line, await buyNumber(line));
}, 300_000);

afterAll(async () => {
  await system?.stop();
  await carrier?.close();
  await telnyx?.close();
  await plivo?.close();
  await vendors?.close();
  tools?.close();
  const head = ['', '| line | pipeline | seen |', '|---|---|---|'];
  process.stdout.write(`${[...head, ...seen.toSorted()].join('\n')}\n`);
});

function agentOf(pipeline: Pipeline, colleagueNumber: string) {
  const { port } = tools.address() as AddressInfo;
  return {
    ...receptionist({ toolUrl: `http://127.0.0.1:${port}/slots`, colleagueNumber }),
    ...vendors.voice(pipeline),
    calling_hours: Object.fromEntries(DAYS.map((day) => [day, { start: '00:00', end: '24:00' }])),
  };
}

/** A recogniser of fewer phrases is a faster one. */
function ofThisConversation(phrasebook: readonly Phrase[]): Phrase[] {
  const lines: readonly string[] = Object.values(CALLER_SAYS);
  return phrasebook.filter(({ text }) => lines.includes(text));
}

async function buyNumber(line: ProductionLine): Promise<string> {
  const provider = line.toLowerCase();
  const path = `/api/v1/phones/available?provider=${provider}&area_code=646&limit=${PRODUCTION.length}`;
  const offers = expectStatus(200, await production.request('GET', path)).json as unknown as {
    phone_number: string;
  }[];
  // The emulators offer the same numbers, and each is one carrier's.
  const { phone_number } = offers[PRODUCTION.indexOf(line)]!;
  expectStatus(201, await production.request('POST', '/api/v1/phones', { phone_number, provider }));
  return phone_number;
}

async function createAgent(tenant: Tenant, pipeline: Pipeline, colleagueNumber: string): Promise<string> {
  const made = await tenant.request('POST', '/api/v1/agents', agentOf(pipeline, colleagueNumber));
  return String(expectStatus(201, made).json.id);
}

async function dial(tenant: Tenant, agentId: string, from: string, to: string): Promise<string> {
  const body = { agent_id: agentId, from_number: from, to_number: to };
  return String(expectStatus(202, await tenant.request('POST', '/api/v1/calls', body)).json.id);
}

const testNumberOf = (person: SimulatedBehavior) =>
  TEST_NUMBERS.find(({ behavior }) => behavior === person)!.number;

/** Looks seldom: the machine has better things to do. */
const ended = (tenant: Tenant, id: string) => tenant.untilStatus(id, isOver, CALL_WITHIN_MS, undefined, 1500);

const isProduction = (line: Line): line is ProductionLine => (PRODUCTION as readonly Line[]).includes(line);

/** Has the conversation on this line, to its end. */
async function hold(line: Line, pipeline: Pipeline): Promise<CallDetail> {
  if (isProduction(line)) {
    const agentId = await createAgent(production, pipeline, '+16465550181');
    const id = await dial(production, agentId, ownNumbers.get(line)!, '+16465550180');
    return ended(production, id);
  }
  const agentId = await createAgent(sandbox, pipeline, testNumberOf('stays_silent'));
  switch (line) {
    case 'Twilio': {
      const id = await dial(sandbox, agentId, SANDBOX_CALLER_ID, testNumberOf('talks'));
      return ended(sandbox, id);
    }
    case 'WebRTC': {
      const call = await talkByWebRtc(sandbox, agentId, people.talk('talks_over'));
      const detail = await ended(sandbox, call.callId);
      await call.close();
      return detail;
    }
    default: {
      const format = line === 'WebSocket mu-law' ? PCMU_8K : L16_16K;
      const call = await talkByWebSocket(sandbox, agentId, people.talk('talks_over'), format);
      await call.closed;
      return ended(sandbox, call.callId);
    }
  }
}

/** Each pipeline on each of the lines. */
const cellsOf = (lines: readonly Line[]) =>
  lines.flatMap((line) => PIPELINES.map((pipeline) => ({ line, pipeline })));

const room = new RoomForCalls();

// Side by side, as many as the machine has time for.
describe.each([
  ['on a carrier’s line', cellsOf(CARRIERS)],
  ['on a tester’s line', cellsOf(LINES.filter((line) => !CARRIERS.includes(line)))],
] as const)('a conversation %s', (_name, cells) => {
  it.concurrent.each(cells)(
    '$line, $pipeline',
    async ({ line, pipeline }) => {
      const call = await room.hold(() => hold(line, pipeline));
      const tenant = isProduction(line) ? production : sandbox;
      const { mp3 } = await tenant.recording(call.id, 60_000);
      try {
        const transfers = CARRIERS.includes(line);
        seen.push(
          `| ${line} | ${pipeline} | ${await checkConversation(call, mp3, { transfers, pipeline })} |`,
        );
      } catch (error) {
        console.error(`${line}, ${pipeline}: ${JSON.stringify(call, null, 1)}`);
        const decisions = await tenant.request('GET', `/api/v1/calls/${call.id}/decisions`);
        console.error(`Why it did what it did: ${JSON.stringify(decisions.json)}`);
        if (pipeline === 'openai')
          console.error(`The newest session’s memory: ${JSON.stringify(vendors.realtime.memory())}`);
        throw error;
      }
    },
    HELD_WITHIN_MS,
  );
});

describe('the vendors', () => {
  it('had nothing to object to', () => {
    expect(vendors.objections).toEqual({});
  });
});
