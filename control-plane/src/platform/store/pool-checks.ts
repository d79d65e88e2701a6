import pools from 'mongodb/lib/cmap/connection_pool.js';

const { ConnectionPool } = pools;
const { ready } = ConnectionPool.prototype;

/** How often a pool looks for connections that it does not need any more, in ms. */
const RARELY_MS = 2000;

/**
 * Has the driver look after its pools rarely. It (7.8) wakes each ten times a second, to close what is stale and to keep
 * a least number of connections: half of the wakes of an idle control plane. A stale connection is not handed out
 * anyway, and there is no least number here.
 */
export function lookAfterPoolsRarely(): void {
  ConnectionPool.prototype.ready = function () {
    this.options = { ...this.options, minPoolSizeCheckFrequencyMS: RARELY_MS };
    ready.call(this);
  };
}
