// Talks to an agent over a WebSocket test session (docs/websocket-sessions.md). Plain Node 22.
//   API_KEY=sk_test_… AGENT_ID=… node examples/websocket-session.mjs [speech.wav | -] [answer.wav]
// The caller is a WAV file (16 kHz, 16 bit, mono), raw PCM of that form from standard input (-), or a tone:
//   arecord -t raw -f S16_LE -r 16000 -c 1 | API_KEY=… AGENT_ID=… node examples/websocket-session.mjs -
import { readFileSync, writeFileSync } from 'node:fs';

const { API_URL = 'http://localhost:8080', API_KEY, AGENT_ID, TALK_SECONDS = '30' } = process.env;
const [input, output = 'answer.wav'] = process.argv.slice(2);
const [FRAME_MS, BYTES_PER_MS] = [20, 32]; // 16 kHz, 16 bit

const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
const path = `/api/v1/agents/${AGENT_ID}/test/websocket`;
const created = await fetch(API_URL + path, { method: 'POST', headers, body: '{}' });
if (!created.ok) throw new Error(`${created.status} ${await created.text()}`);
const { stream_url, token } = await created.json();

const tone = () =>
  Buffer.from(Int16Array.from({ length: 16_000 }, (_, i) => 8000 * Math.sin(i * 0.17)).buffer);
let speech =
  input === undefined ? tone() : input === '-' ? Buffer.alloc(0) : readFileSync(input).subarray(44);
if (input === '-') process.stdin.on('data', (pcm) => (speech = Buffer.concat([speech, pcm])));
let heard = []; // the agent's audio, and when each piece is played
const marks = []; // those whose audio has not been played yet
let playedUntil = 0;
let sentUntil = 0;

const socket = new WebSocket(`${stream_url}?t=${token}&encoding=pcm16&sample_rate=16000`);
socket.binaryType = 'arraybuffer';
socket.onopen = () => {
  const clock = setInterval(() => {
    for (sentUntil ||= performance.now(); sentUntil <= performance.now(); sentUntil += FRAME_MS) {
      const frame = Buffer.alloc(FRAME_MS * BYTES_PER_MS); // silence where nobody speaks
      speech = speech.subarray(speech.copy(frame));
      socket.send(frame);
    }
    while (marks[0]?.due <= performance.now()) socket.send(marks.shift().text);
  }, FRAME_MS);
  const limit = setTimeout(() => socket.send('{"type":"stop"}'), TALK_SECONDS * 1000);
  socket.onclose = ({ code, reason }) => {
    for (const timer of [clock, limit]) clearTimeout(timer);
    process.stdin.destroy();
    const pcm = Buffer.concat(heard.map(({ audio }) => audio));
    const sizes = new Uint32Array([36 + pcm.length, 16_000, 32_000, pcm.length]);
    const [riff, rate, bytes, data] = [0, 4, 8, 12].map((at) =>
      Buffer.from(sizes.buffer, at, 4).toString('latin1'),
    );
    const header = `RIFF${riff}WAVEfmt \x10\0\0\0\x01\0\x01\0${rate}${bytes}\x02\0\x10\0data${data}`;
    writeFileSync(output, Buffer.concat([Buffer.from(header, 'latin1'), pcm]));
    console.log(`closed (${code} ${reason}); ${pcm.length / 32_000} s of the agent in ${output}`);
  };
};
socket.onmessage = ({ data }) => {
  const now = performance.now();
  if (typeof data !== 'string') {
    heard.push({ audio: Buffer.from(data), at: Math.max(now, playedUntil) });
    playedUntil = Math.max(now, playedUntil) + data.byteLength / BYTES_PER_MS;
  } else if (data.startsWith('{"type":"mark"')) marks.push({ text: data, due: playedUntil });
  else if (data.startsWith('{"type":"clear"')) {
    heard = heard.filter(({ at }) => at <= now); // an interruption: what was not played is dropped
    for (const mark of marks) mark.due = now;
    playedUntil = now;
  } else console.log(data);
};
