/**
 * Which file may import which, types included; `npm run check` holds the repository to it (dependency-cruiser).
 * docs: https://github.com/sverweij/dependency-cruiser/blob/main/doc/rules-reference.md
 */

/**
 * The rooms of the control plane, from the ground up: each imports only floors below its own. Rooms of one floor do
 * not know each other.
 */
const FLOORS = [
  ['platform'], // http, store, secrets, the engine of recurring jobs, health, money; beside it config.ts
  ['webhooks'], // events, subscriptions, deliveries
  ['identity'], // tenants, users, API keys, dashboard sessions, the identity provider
  ['vendors'], // tenants' keys at the vendors of providers
  ['language-model'],
  ['agents'], // and their templates
  ['workers'], // registry, placement, commands
  ['telephony'], // carriers, phone numbers, verifications
  ['compliance'], // gate, do-not-call, calling hours, consent
  ['integrations'],
  ['calls'],
  ['campaigns'],
  ['analytics', 'billing'],
  ['agent-testing'], // sessions in text, by WebSocket, by WebRTC
  ['operator', 'retention'], // live calls, audit view; the end of what is kept of calls
];

const CONTROL_PLANE = '^control-plane/src/';
/** Tests, and what only tests and measurements use. */
export const TEST_SUPPORT = [
  '\\.test\\.ts$',
  '[./-]testing\\.ts$',
  '/(bench|testing)/',
  '^shared/(src|dist)/clock/scripted-clock\\.',
  '^control-plane/src/(benchmark|conformance|openapi-check|specification)/',
  '^loadtest/',
  '^vitest\\.',
];

const rooms = FLOORS.flat();
const pathOf = (/** @type {readonly string[]} */ names) => `${CONTROL_PLANE}(${names.join('|')})/`;

/** Upward, sideways and to the composition: one rule a floor, so that a violation names its floor. */
/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const floorRules = FLOORS.map((floor, i) => {
  const above = FLOORS.slice(i + 1).flat();
  return {
    name: `floor-of-${floor.join('-and-')}`,
    comment: 'A room imports only floors below its own.',
    severity: 'error',
    from: { path: pathOf(floor), pathNot: TEST_SUPPORT },
    to: {
      path: [
        ...(above.length > 0 ? [pathOf(above)] : []),
        ...(floor.length > 1 ? [pathOf(floor)] : []),
        `${CONTROL_PLANE}[^/]+$`,
      ],
      pathNot: [`${CONTROL_PLANE}config\\.ts$`, ...(floor.length > 1 ? [`${CONTROL_PLANE}$1/`] : [])],
    },
  };
});

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const forbidden = [
  {
    name: 'no-cycle',
    comment: 'No file imports what imports it, by whatever way round; types included.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  ...floorRules,
  {
    name: 'config-on-the-ground',
    comment: 'The configuration stands beside the platform and knows no room.',
    severity: 'error',
    from: { path: `${CONTROL_PLANE}config\\.ts$` },
    to: { path: CONTROL_PLANE, pathNot: `${CONTROL_PLANE}platform/` },
  },
  {
    name: 'room-without-floor',
    comment: 'Every folder of the control plane is a room of FLOORS, or test support.',
    severity: 'error',
    from: {},
    to: { path: `${CONTROL_PLANE}[^/]+/`, pathNot: [pathOf(rooms), ...TEST_SUPPORT] },
  },
  {
    name: 'planes-apart',
    comment: 'Planes share contracts (shared/), never code.',
    severity: 'error',
    from: { path: '^(control-plane|media-plane)/' },
    to: { path: '^(control-plane|media-plane|infra)/', pathNot: '^$1/' },
  },
  {
    name: 'shared-below-all',
    comment: 'What everybody imports imports nobody.',
    severity: 'error',
    from: { path: '^shared/', pathNot: TEST_SUPPORT },
    to: { path: '^(control-plane|media-plane|infra|loadtest)/' },
  },
  {
    name: 'infra-beside-planes',
    comment: 'Set-up, launcher, store and simulated carrier start the planes as processes.',
    severity: 'error',
    from: { path: '^infra/', pathNot: TEST_SUPPORT },
    to: { path: '^(control-plane|media-plane|loadtest)/' },
  },
  {
    name: 'product-without-test-support',
    comment: 'Nothing that runs in production imports what is for tests.',
    severity: 'error',
    from: { path: '^(control-plane|infra|media-plane|shared)/', pathNot: TEST_SUPPORT },
    to: { path: TEST_SUPPORT },
  },
  {
    name: 'onnx-runtime-without-telemetry',
    comment: 'ONNX Runtime sends telemetry unless it is loaded by the module that switches it off.',
    severity: 'error',
    from: { pathNot: '^shared/src/inference/' },
    to: { path: '(^|/)onnxruntime-node(/|$)' },
  },
  {
    name: 'model-of-its-owner',
    comment: 'Only its own room builds a model of the store; others are lent it, and may name its type.',
    severity: 'error',
    from: { path: `${CONTROL_PLANE}([^/]+)`, pathNot: TEST_SUPPORT },
    to: {
      path: `${CONTROL_PLANE}.*(/|-)model\\.ts$`,
      pathNot: `${CONTROL_PLANE}$1/`,
      dependencyTypesNot: ['type-only'],
    },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden,
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['^node:'] },
  },
};
