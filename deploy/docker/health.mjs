/** The health check of the container: succeeds if the server in it answers. */
const port = process.env.TABLEKEEP_HTTP_PORT ?? "8025";
try {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
