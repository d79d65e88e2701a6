import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Random } from '../system/seeded-random.js';
import { mutateJson, mutateLines, mutateText, pick } from './mutate.js';
import { type FuzzTarget, load, refusing, throwUnexpected } from './target.js';

const REFUSALS = ['ServiceError', 'ApiError'];

/** Text frames of a WebSocket test session. */
export async function testerMessages(): Promise<FuzzTarget> {
  const { readTesterMessage } = await load<{ readTesterMessage(text: string): unknown }>(
    'media-plane/dist/lines/websocket/tester-messages.js',
  );
  const texts = ['{"type":"mark","name":"turn-1"}', '{"type":"dtmf","digit":"5"}', '{"type":"stop"}'];
  return {
    run: (random) =>
      refusing(['ProtocolViolation'], () => readTesterMessage(mutateJson(random, pick(random, texts)))),
  };
}

const FINGERPRINT =
  'FF:87:4C:FE:FB:02:46:2E:09:BA:DA:54:80:91:B4:77:CB:D8:B4:8B:33:06:17:E3:86:CE:5E:99:10:D3:29:3B';
const OFFER = `v=0
o=- 7328217694213249326 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=extmap-allow-mixed
a=msid-semantic: WMS
m=audio 9 UDP/TLS/RTP/SAVPF 111 63 0 8 110
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=candidate:519550237 1 udp 2113937151 192.0.2.1 46841 typ host generation 0 network-cost 999
a=ice-ufrag:gRHh
a=ice-pwd:DU357/ew9lrKt5OK+IITfCoo
a=ice-options:trickle
a=fingerprint:sha-256 ${FINGERPRINT}
a=setup:actpass
a=mid:0
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=sendrecv
a=rtcp-mux
a=rtpmap:111 opus/48000/2
a=rtcp-fb:111 transport-cc
a=fmtp:111 minptime=10;useinbandfec=1
a=rtpmap:63 red/48000/2
a=fmtp:63 111/111
a=rtpmap:0 PCMU/8000
a=rtpmap:110 telephone-event/48000
a=ssrc:1312502276 cname:MUfVOiAkmfk21iEm
m=application 9 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 0.0.0.0
a=ice-ufrag:gRHh
a=ice-pwd:DU357/ew9lrKt5OK+IITfCoo
a=fingerprint:sha-256 ${FINGERPRINT}
a=setup:actpass
a=mid:1
a=sctp-port:5000
`.replaceAll('\n', '\r\n');

/** Browsers' offers. */
export async function sdpOffers(): Promise<FuzzTarget> {
  const { readOffer } = await load<{ readOffer(sdp: string): unknown }>(
    'media-plane/dist/lines/webrtc/sdp/offer.js',
  );
  let offer = OFFER;
  return {
    begin() {
      offer = OFFER;
    },
    run(random) {
      // Changes add up for a while: what is wrong twice is another thing.
      offer = random() < 0.3 ? OFFER : offer.slice(0, 60_000);
      offer = mutateLines(random, offer, '\r\n');
      refusing(REFUSALS, () => readOffer(offer));
    },
  };
}

interface Callback {
  readonly url: string;
  readonly rawBody: Buffer;
  readonly header: (name: string) => string | undefined;
}
type ReadForm = (callback: Callback, authToken: string) => unknown;

const TOKEN = 'a token of the fuzzer';
const sid = (prefix: string) => `${prefix}${'0123456789abcdef'.repeat(2)}`;
const uuid = '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f';

const TWILIO_FORMS: Readonly<Record<string, string>> = {
  status: `CallSid=${sid('CA')}&CallStatus=completed&CallDuration=12&StirStatus=A&Timestamp=Fri%2C+20+Nov+2026+10%3A00%3A00+%2B0000`,
  answered_by: `CallSid=${sid('CA')}&AnsweredBy=machine_end_beep`,
  recording: `CallSid=${sid('CA')}&RecordingSid=${sid('RE')}&RecordingStatus=completed`,
  transfer_leg: `CallSid=${sid('CA')}&CallStatus=in-progress`,
};

/** Bodies of carriers' webhooks, rightly signed: what is behind the signature must read anything. */
export async function webhookBodies(): Promise<FuzzTarget> {
  const twilio = await load<{
    readTwilioCallback(kind: string, callback: Callback, authToken: string): unknown;
    readTwilioInbound: ReadForm;
  }>('control-plane/dist/telephony/carriers/twilio/callback.js');
  const plivo = await load<
    Readonly<Record<'readPlivoStatus' | 'readPlivoMachine' | 'readPlivoInbound', ReadForm>>
  >('control-plane/dist/telephony/carriers/plivo/callbacks.js');
  const { signedText, plivoSignature } = await load<{
    signedText(url: string, form: URLSearchParams, nonce: string): string;
    plivoSignature(authToken: string, text: string): string;
  }>('control-plane/dist/telephony/carriers/plivo/signature.js');
  const telnyx = await load<{
    readTelnyxEvent(callback: Callback, key: unknown, now: number): unknown;
    meaningOf(event: unknown): unknown;
  }>('control-plane/dist/telephony/carriers/telnyx/webhook.js');
  const keys = generateKeyPairSync('ed25519');

  const twilioForm = (random: Random) => {
    const kind = pick(random, Object.keys(TWILIO_FORMS));
    const url = `https://api.example.com/internal/carriers/twilio/status?call_id=${uuid}`;
    const rawBody = Buffer.from(form(random, TWILIO_FORMS[kind]!));
    const callback = { url, rawBody, header: () => twilioSignature(url, rawBody) };
    refusing(REFUSALS, () => twilio.readTwilioCallback(kind, callback, TOKEN));
    refusing(REFUSALS, () => twilio.readTwilioInbound(callback, TOKEN));
  };
  const plivoForm = (random: Random) => {
    const url = `https://api.example.com/internal/carriers/plivo/status?call_id=${uuid}`;
    const text = form(
      random,
      pick(random, [
        `CallUUID=${uuid}&CallStatus=completed&Duration=12&TotalCost=0.0034`,
        `CallUUID=${uuid}&Machine=true`,
        `CallUUID=${uuid}&From=13122010094&To=13122123456`,
      ]),
    );
    const rawBody = Buffer.from(text);
    const given = signedText(url, new URLSearchParams(rawBody.toString('utf8')), 'n');
    const signature = plivoSignature(TOKEN, given);
    const header = (name: string) => (name.endsWith('nonce') ? 'n' : signature);
    for (const read of [plivo.readPlivoStatus, plivo.readPlivoMachine, plivo.readPlivoInbound]) {
      refusing(REFUSALS, () => read({ url, rawBody, header }, TOKEN));
    }
  };
  const telnyxEvent = (random: Random) => {
    const rawBody = Buffer.from(mutateJson(random, pick(random, TELNYX_EVENTS)));
    const signature = sign(null, Buffer.concat([Buffer.from('1000|'), rawBody]), keys.privateKey).toString(
      'base64',
    );
    const header = (name: string) => (name.endsWith('timestamp') ? '1000' : signature);
    refusing(REFUSALS, () =>
      telnyx.meaningOf(telnyx.readTelnyxEvent({ url: '', rawBody, header }, keys.publicKey, 1e6)),
    );
  };
  return { run: (random) => pick(random, [twilioForm, plivoForm, telnyxEvent])(random) };
}

const telnyxEventOf = (type: string, payload: object) =>
  JSON.stringify({
    data: {
      id: uuid,
      event_type: type,
      occurred_at: '2026-11-22T10:00:00.000Z',
      payload: {
        call_control_id: 'v3:call',
        client_state: Buffer.from(JSON.stringify({ call_id: uuid, token: 't' })).toString('base64'),
        direction: 'outgoing',
        from: '+13122010094',
        to: '+13122123456',
        ...payload,
      },
    },
  });
const TELNYX_EVENTS: readonly string[] = [
  telnyxEventOf('call.hangup', { hangup_cause: 'normal_clearing' }),
  telnyxEventOf('call.machine.premium.detection.ended', { result: 'human_residence' }),
  telnyxEventOf('call.initiated', {
    direction: 'incoming',
    shaken_stir_attestation: 'A',
    shaken_stir_validated: true,
  }),
  telnyxEventOf('call.cost', { total_cost: '0.005', cost_parts: [{ currency: 'USD' }] }),
];

function twilioSignature(url: string, body: Buffer): string {
  const fields = new URLSearchParams(body.toString('utf8'));
  const signed = [...new Set(fields.keys())].sort().reduce((text, name) => {
    // As Twilio's library: the values of a repeated name once each, sorted.
    return (
      text +
      [...new Set(fields.getAll(name))]
        .sort()
        .map((value) => name + value)
        .join('')
    );
  }, url);
  return createHmac('sha1', TOKEN).update(signed, 'utf8').digest('base64');
}

/** Changes a form: a field, or its characters. */
function form(random: Random, text: string): string {
  if (random() < 0.5) return mutateText(random, text);
  return mutateLines(random, text, '&');
}

const CSV = `phone,first_name,last_name,company,note
+15005550006,Ada,Lovelace,"Analytical, Ltd.","said ""yes"""
(500) 555-0010,Grace,Hopper,Navy,
+49 30 901820,Konrad,Zuse,,"two
lines"
500-555-0011,Émilie,du Châtelet,Cirey,x
`;

const FILES_AT_ONCE = 50;

/** Files of contacts, in pieces of any size. */
export async function contactFiles(): Promise<FuzzTarget> {
  const { readContactsCsv } = await load<{ readContactsCsv(file: Readable): Promise<unknown> }>(
    'control-plane/dist/campaigns/contacts/contacts-csv.js',
  );
  const one = async (random: Random) => {
    let text = CSV;
    for (let n = 0; n <= random() * 3; n++) text = mutateLines(random, text, random() < 0.7 ? '\n' : ',');
    const encoding = pick(random, ['utf8', 'utf8', 'utf8', 'utf16le', 'latin1'] as const);
    const bytes = Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding);
    try {
      await readContactsCsv(Readable.from(pieces(random, bytes)));
    } catch (error) {
      throwUnexpected(REFUSALS, error);
    }
  };
  return {
    // The reader gives others a turn after each piece: alone it would mostly wait.
    inputsARun: FILES_AT_ONCE,
    async run(random) {
      await Promise.all(Array.from({ length: FILES_AT_ONCE }, () => one(random)));
    },
  };
}

/** Cuts bytes in up to four pieces. */
export function pieces(random: Random, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: Math.floor(random() * 4) }, () =>
    Math.floor(random() * bytes.length),
  ).sort((a, b) => a - b);
  return [...cuts, bytes.length].map((end, n) => bytes.subarray(cuts[n - 1] ?? 0, end));
}
