import { loadPhrasebook } from '../deepgram/phrasebook.js';
import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startAssemblyAiEmulator } from './server.js';

await runProgram({
  name: 'AssemblyAI',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    phrasebook: {
      help: 'URL of what can be recognised (GET /phrasebook of the simulated carrier)',
      default: '',
    },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    'interim-delay-ms': { help: 'from a word to its text', default: '100' },
    'final-delay-ms': { help: 'from the end of a turn to its text', default: '150' },
  },
  start: async (values) =>
    startAssemblyAiEmulator({
      port: numberOption('port', values.port),
      phrasebook: values.phrasebook === '' ? [] : await loadPhrasebook(values.phrasebook),
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      interimDelayMs: numberOption('interim-delay-ms', values['interim-delay-ms']),
      finalDelayMs: numberOption('final-delay-ms', values['final-delay-ms']),
    }),
});
