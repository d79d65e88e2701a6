// The image's health check: exits with 0 when the plane that runs in this container answers /healthz. Which plane it
// is, the answer says: only one of the two ports is listened on.
const { PORT = '8080', MEDIA_PORT = '8081' } = process.env;

/** @param {string} port */
async function lives(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) });
  if (!answer.ok) throw new Error(`/healthz answered ${answer.status}`);
}

await Promise.any([lives(PORT), lives(MEDIA_PORT)]).catch((error) => {
  process.stderr.write(`${error.errors.map(String).join('; ')}\n`);
  process.exitCode = 1;
});
