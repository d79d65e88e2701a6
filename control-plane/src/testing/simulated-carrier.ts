import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CARRIER_ACCOUNT_SID, CARRIER_AUTH_TOKEN } from './scripted-carrier.js';

const MAIN = fileURLToPath(new URL('../../../infra/dist/simulated-carrier/main.js', import.meta.url));

export interface SimulatedCarrierProcess {
  readonly url: string;
  /** The environment by which a control plane uses it for its sandbox. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment by which it is the control plane's Twilio, for production keys. */
  readonly twilioEnv: Readonly<Record<string, string>>;
  /** What was sent to a number by text message, newest first. */
  messagesTo(number: string): Promise<{ from: string; to: string; body: string }[]>;
  /** A test person calls a number that was bought. */
  callIn(to: string): Promise<void>;
  /** Its REST API, as Twilio's. */
  rest(method: string, path: string): Promise<{ status: number; json: unknown }>;
  close(): Promise<void>;
}

/** The simulated carrier as the process that it is, without media: for numbers, messages and signalling. */
export async function startSimulatedCarrier(): Promise<SimulatedCarrierProcess> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run "tsc -b infra" first`);
  const child = fork(MAIN, {
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      SIMULATED_CARRIER_PORT: '0',
      SIMULATED_CARRIER_ACCOUNT_SID: CARRIER_ACCOUNT_SID,
      SIMULATED_CARRIER_AUTH_TOKEN: CARRIER_AUTH_TOKEN,
      SIMULATED_CARRIER_MEDIA: 'off',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`the simulated carrier ended with ${code}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  const basic = Buffer.from(`${CARRIER_ACCOUNT_SID}:${CARRIER_AUTH_TOKEN}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  return {
    url,
    env: {
      SIMULATED_CARRIER_URL: url,
      SIMULATED_CARRIER_ACCOUNT_SID: CARRIER_ACCOUNT_SID,
      SIMULATED_CARRIER_AUTH_TOKEN: CARRIER_AUTH_TOKEN,
    },
    twilioEnv: {
      TWILIO_API_URL: url,
      TWILIO_ACCOUNT_SID: CARRIER_ACCOUNT_SID,
      TWILIO_AUTH_TOKEN: CARRIER_AUTH_TOKEN,
    },
    async messagesTo(number) {
      const answer = await fetch(`${url}/simulation/messages?To=${encodeURIComponent(number)}`, { headers });
      return (await answer.json()) as { from: string; to: string; body: string }[];
    },
    async callIn(to) {
      const answer = await fetch(`${url}/simulation/calls`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ To: to }),
      });
      if (answer.status !== 201) throw new Error(`nobody called: ${answer.status} ${await answer.text()}`);
    },
    async rest(method, path) {
      const answer = await fetch(`${url}/2010-04-01/Accounts/${CARRIER_ACCOUNT_SID}/${path}`, {
        method,
        headers,
      });
      const text = await answer.text();
      return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
    },
    async close() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
