import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  SANDBOX_CALLER_ID,
  TEST_NUMBERS,
  type TestNumber,
  testNumber,
} from '@voice/shared/contracts/test-numbers';
import { runProgram } from '@voice/shared/process/run-program';
import { z } from 'zod';
import { type ApiClient, ApiError } from '../installation/api-client.js';
import { type CallDetail, CallNarration, callDetail, isOver, latencySummary } from './call-narration.js';
import { type CliConfig, readConfig } from './config.js';
import { demoAccess } from './demo-access.js';
import { findCarrier, findSystem } from './running-system.js';
import { SimulatedCaller } from './simulated-caller.js';
import { SimulatedPerson } from './simulated-person.js';
import { findSoundPrograms } from './talk/sound-programs.js';
import { noSoundPrograms, talk } from './talk/talk.js';
import { Terminal } from './talk/terminal.js';
import { wordErrors } from './word-error-rate.js';

const USAGE = `Usage: npm run call [-- --person PERSON | --to NUMBER] [--agent ID] [--inbound] [--ears model]
       npm run call -- --talk [--half-duplex] [--agent ID]

Places a sandbox call on the running system and prints it live. The tenant “demo”, its key and its agent
are made by the first call.

  --person PERSON   who is called (default: talks)
${TEST_NUMBERS.map(({ behavior, number, description }) => `      ${behavior.padEnd(14)}${number}  ${description}`).join('\n')}
  --to NUMBER       the same by test number
  --agent ID        another agent of the tenant “demo”
  --ears model      no script beside the audio: the person speaks with the neural voice, the agent hears with
                    the machine's recogniser (npm run models), and the word error rate is printed at the end
  --inbound         the other way round: the person calls a number of the tenant, and the agent answers
  --talk            you are the person: your own microphone and speaker (arecord and aplay, or SoX)
  --half-duplex     with --talk and no headphones: the microphone is muted while the agent speaks

Environment: DATA_DIR of the running system (./data).
`;

/** One look a second stays within the default rate limit of 60 requests a minute; slower when it runs short. */
const LOOK_MS = 1000;
const SLOW_LOOK_MS = 2500;
const FEW_LEFT = 15;
/** A recording is uploaded a moment after the end. */
const RECORDING_WITHIN_MS = 15_000;

const callCreated = z.object({ id: z.string() });
const callAtCarrier = z.object({
  calls: z.array(z.object({ id: z.string(), carrier_call_id: z.string().nullable() })),
});
const recordingLink = z.object({ recording_url: z.string().optional(), url: z.string().optional() });

runProgram(async () => {
  const { values } = parseArgs({
    options: {
      to: { type: 'string' },
      person: { type: 'string' },
      agent: { type: 'string' },
      ears: { type: 'string', default: 'captions' },
      inbound: { type: 'boolean', default: false },
      talk: { type: 'boolean', default: false },
      'half-duplex': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const config = readConfig();
  if (values.talk) return talkYourself(config, values.agent, values['half-duplex']);
  const person = choosePerson(values.to, values.person);
  const byModel = readEars(values.ears);
  if (byModel && values.agent !== undefined) {
    throw new Error(
      '--ears is for the demo agent. An agent of your own hears with the recogniser by "stt": {"provider": "local", "params": {"ears": "model"}}.',
    );
  }
  const system = findSystem(config);
  const { api, agentId, tenantId } = await demoAccess(
    system,
    config.dataDir,
    byModel ? 'recogniser' : 'usual',
  );
  const agent = values.agent ?? agentId;
  const simulated = byModel ? new SimulatedPerson(findCarrier(config), person.behavior) : undefined;
  await simulated?.speakWith('model');
  let detail: CallDetail;
  let callId: string | undefined;
  try {
    callId = values.inbound
      ? await receive(new SimulatedCaller(api, findCarrier(config)), agent, person)
      : await place(api, agent, person);
    if (callId === undefined) return 1;
    detail = await follow(api, callId);
  } finally {
    await simulated?.speakWith('espeak');
  }
  if (simulated) await printWordErrors(api, callId, simulated, detail);
  const latency = latencySummary(detail);
  if (latency) say(`Response latency: ${latency}`);
  await printRecording(api, callId, join(config.dataDir, 'recordings', tenantId, `${callId}.mp3`), detail);
  return detail.status === 'FAILED' ? 1 : 0;
});

/** Calls with the user of this terminal as the person. */
async function talkYourself(
  config: CliConfig,
  agent: string | undefined,
  halfDuplex: boolean,
): Promise<number> {
  const system = findSystem(config);
  const programs = findSoundPrograms(config.searchPath);
  if (!programs) {
    process.stderr.write(`${noSoundPrograms(system.apiUrl)}\n`);
    return 1;
  }
  const { api, agentId } = await demoAccess(system, config.dataDir);
  const hangUp = new AbortController();
  process.once('SIGINT', () => hangUp.abort());
  return talk({
    api,
    agentId: agent ?? agentId,
    programs,
    halfDuplex,
    terminal: new Terminal({
      write: (text) => void process.stdout.write(text),
      rewrites: process.stdout.isTTY === true,
      columns: process.stdout.columns ?? 80,
    }),
    signal: hangUp.signal,
  });
}

function readEars(ears: string): boolean {
  if (ears === 'captions' || ears === 'model') return ears === 'model';
  throw new Error(`--ears is captions or model, not ${ears}.`);
}

/** Prints the person's words beside those that the recogniser made of them. */
async function printWordErrors(
  api: ApiClient,
  callId: string,
  simulated: SimulatedPerson,
  detail: CallDetail,
): Promise<void> {
  const { value } = await api.request(callAtCarrier, 'GET', `/api/v1/calls?limit=20`);
  const sid = value.calls.find(({ id }) => id === callId)?.carrier_call_id;
  if (!sid) return;
  const said = await simulated.spokenIn(sid);
  const heard = detail.transcript
    .filter(({ role }) => role === 'caller')
    .map(({ text }) => text)
    .join(' ');
  const { errors, words } = wordErrors(said, heard);
  if (words === 0) return;
  const rate = ((100 * errors) / words).toFixed(1);
  say(`Word error rate: ${rate} % (${errors} of ${words} words)`);
  say(`  said   ${said}`);
  say(`  heard  ${heard}`);
}

async function place(api: ApiClient, agentId: string, person: TestNumber): Promise<string> {
  say(`Calling ${person.number}, who ${person.description}.`);
  const { value } = await api.request(callCreated, 'POST', '/api/v1/calls', {
    agent_id: agentId,
    from_number: SANDBOX_CALLER_ID,
    to_number: person.number,
  });
  return value.id;
}

/** Lets the person call; undefined when nobody took the call. */
async function receive(
  caller: SimulatedCaller,
  agentId: string,
  person: TestNumber,
): Promise<string | undefined> {
  const number = await caller.numberOf(agentId);
  say(`${person.number} calls ${number}, which the agent answers.`);
  const arrival = await caller.call(person.number, number);
  if (arrival.kind === 'call') return arrival.id;
  say(`Turned away. The caller heard: “${arrival.said.join(' ')}”`);
  return undefined;
}

/** Prints the call until it is over. */
async function follow(api: ApiClient, callId: string): Promise<CallDetail> {
  const narration = new CallNarration();
  for (;;) {
    const lookedAt = performance.now();
    const { value: detail, remaining } = await api.request(
      callDetail,
      'GET',
      `/api/v1/calls/${callId}/detail`,
    );
    for (const line of narration.look(detail)) say(line);
    if (isOver(detail)) return detail;
    const pace = remaining < FEW_LEFT ? SLOW_LOOK_MS : LOOK_MS;
    await sleep(Math.max(0, pace - (performance.now() - lookedAt)));
  }
}

async function printRecording(
  api: ApiClient,
  callId: string,
  path: string,
  detail: CallDetail,
): Promise<void> {
  if (!detail.duration_ms) return;
  const deadline = performance.now() + RECORDING_WITHIN_MS;
  for (;;) {
    try {
      const { value } = await api.request(recordingLink, 'GET', `/api/v1/calls/${callId}/recording`);
      if (existsSync(path)) say(`Recording: ${path}`);
      say(
        `${existsSync(path) ? '      also' : 'Recording'}: ${value.url ?? value.recording_url} (for 15 minutes)`,
      );
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      if (performance.now() > deadline) {
        say('Recording: none arrived.');
        return;
      }
      await sleep(LOOK_MS);
    }
  }
}

function choosePerson(to: string | undefined, behavior: string | undefined): TestNumber {
  if (to !== undefined && behavior !== undefined) throw new Error('Give --to or --person, not both.');
  const person =
    to === undefined ? TEST_NUMBERS.find((one) => one.behavior === (behavior ?? 'talks')) : testNumber(to);
  if (person) return person;
  throw new Error(
    `${to ?? behavior} is nobody whom the sandbox can call. Choose one of: ${TEST_NUMBERS.map((one) => one.behavior).join(', ')} (npm run call -- --help).`,
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
