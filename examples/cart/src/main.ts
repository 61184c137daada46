/**
 * The shop's process. `--data FOLDER` keeps the carts in a folder (the default, ./cart-data); `--region` and
 * `--endpoint` in DynamoDB. Prints where it listens. SIGTERM and Ctrl-C end it once its work is done.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { cartServer } from "./cart-server.ts";
import { openCarts } from "./open-carts.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "./cart-data" },
    region: { type: "string" },
    endpoint: { type: "string" },
    prefix: { type: "string", default: "cart" },
    port: { type: "string", default: "8080" },
  },
});

const { data, region, endpoint, prefix, port } = values;
const inCloud = region !== undefined || endpoint !== undefined;
const carts = await openCarts(
  inCloud ? { region: region ?? "us-east-1", endpoint } : { folder: data },
  prefix,
);
const server = cartServer(carts.host).listen(Number(port), "127.0.0.1");
await once(server, "listening");
process.stdout.write(`carts at http://127.0.0.1:${(server.address() as AddressInfo).port}/carts/ID\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    server.closeIdleConnections();
    void carts.close().then(() => process.exit(0));
  });
}
