import { numberOption, runProgram, UsageError } from '../serving/program.js';
import { startMcpEmulator } from './server.js';

await runProgram({
  name: 'MCP',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    token: { help: 'bearer token that every request must carry', default: 'mcp-emulator-token' },
    revision: { help: '2025-11-25, with sessions, or 2026-07-28, without', default: '2025-11-25' },
  },
  start: ({ port, token, revision }) => {
    if (revision !== '2025-11-25' && revision !== '2026-07-28') {
      throw new UsageError(`--revision must be 2025-11-25 or 2026-07-28, not '${revision}'`);
    }
    return startMcpEmulator({ port: numberOption('port', port), token, revision });
  },
});
