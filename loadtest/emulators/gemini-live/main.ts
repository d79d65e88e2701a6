import { DEFAULT_SCRIPT } from '../openai/script.js';
import { loadPhrasebook } from '../recognition/phrasebook.js';
import { choiceOption, numberOption, positiveOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startGeminiLiveEmulator } from './server.js';

await runProgram({
  name: 'Gemini Live',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    phrasebook: {
      help: 'URL of what can be understood (GET /phrasebook of the simulated carrier)',
      default: '',
    },
    voice: { help: 'espeak (real speech) or tone (cheap, for load tests)', default: 'tone' },
    answers: {
      help: 'instruction (works through the system instruction) or receptionist (a fixed script)',
      default: 'instruction',
    },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    'first-audio-delay-ms': { help: "from the end of the caller's turn to the first audio", default: '300' },
    'transcription-delay-ms': { help: "from a word's last audio to its transcription", default: '100' },
    speed: { help: 'how much faster than it is spoken the audio comes', default: '4' },
    'chunk-ms': { help: 'audio in one message', default: '40' },
    'connection-life-ms': { help: 'life of a connection', default: '600000' },
    'go-away-lead-ms': { help: 'how long before its end a connection gets goAway', default: '60000' },
    'session-life-ms': { help: 'life of a session without context compression', default: '900000' },
  },
  start: async (values) =>
    startGeminiLiveEmulator({
      port: numberOption('port', values.port),
      phrasebook: values.phrasebook === '' ? [] : await loadPhrasebook(values.phrasebook),
      voice: choiceOption('voice', values.voice, ['espeak', 'tone']),
      ...(choiceOption('answers', values.answers, ['instruction', 'receptionist']) === 'receptionist'
        ? { script: DEFAULT_SCRIPT }
        : {}),
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      delays: {
        firstAudioDelayMs: numberOption('first-audio-delay-ms', values['first-audio-delay-ms']),
        transcriptionDelayMs: numberOption('transcription-delay-ms', values['transcription-delay-ms']),
      },
      speed: positiveOption('speed', values.speed),
      chunkMs: positiveOption('chunk-ms', values['chunk-ms']),
      connectionLifeMs: positiveOption('connection-life-ms', values['connection-life-ms']),
      goAwayLeadMs: numberOption('go-away-lead-ms', values['go-away-lead-ms']),
      sessionLifeMs: positiveOption('session-life-ms', values['session-life-ms']),
    }),
});
