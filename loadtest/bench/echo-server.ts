import { App, us_socket_local_port } from 'uWebSockets.js';

/**
 * The least that a media server can do: parses each media message and sends its audio back. What the
 * worker needs beyond this is its own work.
 */
interface MediaMessage {
  readonly event: string;
  readonly streamSid?: string;
  readonly media?: { readonly payload: string };
}

App()
  .ws('/*', {
    message(socket, message) {
      const { event, streamSid, media } = JSON.parse(Buffer.from(message).toString('utf8')) as MediaMessage;
      if (event !== 'media' || !media) return;
      const audio = Buffer.from(media.payload, 'base64');
      socket.send(
        JSON.stringify({ event: 'media', streamSid, media: { payload: audio.toString('base64') } }),
      );
    },
  })
  .listen('127.0.0.1', 0, (token) => {
    if (!token) process.exit(1);
    process.send?.({ type: 'ready', port: us_socket_local_port(token) });
  });

process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
