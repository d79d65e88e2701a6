import { defineCarrier } from '../adapter.js';
import { PlivoCarrier } from './plivo-carrier.js';
import { plivoRoutes } from './routes.js';

export const plivoAdapter = defineCarrier({
  name: 'plivo',
  create: (account) => new PlivoCarrier(account),
  routes: plivoRoutes,
});
