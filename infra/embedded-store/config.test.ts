import { describe, expect, it } from 'vitest';
import { parseFlags } from './config.js';

describe('the command line of the embedded store', () => {
  it('has defaults, and takes values in both forms', () => {
    expect(parseFlags([])).toEqual({
      kind: 'serve',
      port: 27017,
      dataDir: './data/store',
      socket: true,
      ttlMonitor: true,
    });
    expect(parseFlags(['--port', '0', '--data=/x', '--socket', 'off', '--ttl-monitor=off'])).toEqual({
      kind: 'serve',
      port: 0,
      dataDir: '/x',
      socket: false,
      ttlMonitor: false,
    });
  });

  it.each([
    [['--ttl-monitor', 'maybe'], '--ttl-monitor: expected on or off'],
    [['--socket=yes'], '--socket: expected on or off'],
    [['--ttl-monitor'], '--ttl-monitor needs a value'],
    [['--ttl', 'off'], 'unknown argument --ttl'],
  ])('refuses %j', (args, reason) => {
    expect(parseFlags(args)).toEqual({ kind: 'wrong', reason });
  });
});
