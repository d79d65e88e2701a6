import { choiceOption, numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startMcpEmulator } from './server.js';

await runProgram({
  name: 'MCP',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    token: { help: 'bearer token that every request must carry', default: 'mcp-emulator-token' },
    revision: { help: '2025-11-25, with sessions, or 2026-07-28, without', default: '2025-11-25' },
  },
  start: async ({ port, token, revision }) =>
    startMcpEmulator({
      port: numberOption('port', port),
      token,
      revision: choiceOption('revision', revision, ['2025-11-25', '2026-07-28']),
    }),
});
