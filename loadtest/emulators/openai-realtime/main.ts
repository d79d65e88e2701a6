import { DEFAULT_SCRIPT } from '../openai/script.js';
import { loadPhrasebook } from '../recognition/phrasebook.js';
import { choiceOption, numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startOpenAiRealtimeEmulator } from './server.js';

await runProgram({
  name: 'OpenAI Realtime',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    phrasebook: {
      help: 'URL of what can be understood (GET /phrasebook of the simulated carrier)',
      default: '',
    },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    answers: { help: 'script: a receptionist; local: answers by the instructions', default: 'local' },
    voice: { help: 'tone or espeak', default: 'tone' },
    'first-audio-delay-ms': { help: "from a response's beginning to its first audio", default: '250' },
    speed: { help: 'how much faster than it is spoken audio comes; 0: at once', default: '5' },
    'chunk-ms': { help: 'audio in one delta', default: '200' },
    'transcription-delay-ms': { help: "from a caller's turn to its transcript", default: '300' },
    'session-limit-s': { help: 'how long a session may last, in s', default: '3600' },
  },
  start: async (values) => {
    const number = (name: keyof typeof values) => numberOption(name, values[name]);
    return startOpenAiRealtimeEmulator({
      port: number('port'),
      phrasebook: values.phrasebook === '' ? [] : await loadPhrasebook(values.phrasebook),
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      ...(choiceOption('answers', values.answers, ['script', 'local']) === 'script'
        ? { script: DEFAULT_SCRIPT }
        : {}),
      voice: choiceOption('voice', values.voice, ['tone', 'espeak']),
      firstAudioDelayMs: number('first-audio-delay-ms'),
      speed: number('speed') || Number.POSITIVE_INFINITY,
      chunkMs: Math.max(20, number('chunk-ms')),
      transcriptionDelayMs: number('transcription-delay-ms'),
      sessionLimitMs: number('session-limit-s') * 1000,
    });
  },
});
