import { expect, it } from 'vitest';
import { chooseListenAddress } from './listen-address.js';

const machine = { announced: undefined, addresses: ['192.0.2.7', '10.0.0.7'] };

it('stays on loopback where the worker does', () => {
  expect(chooseListenAddress({ ...machine, host: '127.0.0.1' })).toEqual({ ip: '127.0.0.1' });
  expect(chooseListenAddress({ ...machine, host: 'localhost' })).toEqual({ ip: '127.0.0.1' });
});

it('announces the machine’s first address where it listens on all', () => {
  expect(chooseListenAddress({ ...machine, host: '0.0.0.0' })).toEqual({
    ip: '0.0.0.0',
    announced: '192.0.2.7',
  });
});

it('announces what the operator names, such as the public address behind a NAT', () => {
  const announced = 'media-3.example.com';
  expect(chooseListenAddress({ ...machine, host: '10.0.0.7', announced })).toEqual({
    ip: '10.0.0.7',
    announced,
  });
  expect(chooseListenAddress({ ...machine, host: '0.0.0.0', announced })).toEqual({
    ip: '0.0.0.0',
    announced,
  });
});
