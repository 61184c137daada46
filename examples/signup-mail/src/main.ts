/** Runs the service. `--smtp URL` is the server for outgoing mail. Prints its address. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { signUpServer } from "./sign-up-server.ts";

const { values } = parseArgs({
  options: {
    smtp: { type: "string", default: "smtp://127.0.0.1:1025" },
    port: { type: "string", default: "8080" },
  },
});

const server = signUpServer(values.smtp).listen(Number(values.port), "127.0.0.1");
await once(server, "listening");
process.stdout.write(`sign-ups at http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-ups\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    server.closeIdleConnections();
  });
}
