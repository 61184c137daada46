/** The health check of the container: succeeds if the server in it answers. */
import http from "node:http";
import https from "node:https";

const { TABLEKEEP_HTTP_PORT = "8025", TABLEKEEP_TLS_CERT } = process.env;
const { get } = TABLEKEEP_TLS_CERT === undefined ? http : https;
// The certificate is for the name that clients use.
const options = { host: "127.0.0.1", port: TABLEKEEP_HTTP_PORT, path: "/healthz", rejectUnauthorized: false };
const end = (code) => process.exit(code);
get({ ...options, signal: AbortSignal.timeout(4000) }, ({ statusCode }) =>
  end(statusCode === 200 ? 0 : 1),
).once("error", () => end(1));
