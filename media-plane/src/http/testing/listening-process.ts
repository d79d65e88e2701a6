/** Listens as a worker does on a port of the system's choice, names it to its parent, and is killed. */
import { App, us_socket_local_port } from 'uWebSockets.js';
import { listen } from '../listen.js';

process.send?.(us_socket_local_port(await listen(App(), { host: '127.0.0.1', port: 0 })));
