/**
 * Runs the cart server. `--data FOLDER` stores the carts in a folder (default: ./cart-data); `--region` and
 * `--endpoint` store them in DynamoDB. Prints its address. SIGTERM and Ctrl+C stop it once its work is done.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { cartServer } from "./cart-server.ts";
import { type Backend, openCarts } from "./open-carts.ts";

async function start(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: "./cart-data" },
      region: { type: "string" },
      endpoint: { type: "string" },
      prefix: { type: "string", default: "cart" },
      port: { type: "string", default: "8080" },
    },
  });
  const carts = await openCarts(placeOf(values), values.prefix);
  const server = cartServer(carts.host).listen(Number(values.port), "127.0.0.1");
  await once(server, "listening");
  process.stdout.write(`carts at http://127.0.0.1:${(server.address() as AddressInfo).port}/carts/ID\n`);

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      server.close();
      server.closeIdleConnections();
      void carts.close().then(() => process.exit(0));
    });
  }
}

interface PlaceFlags {
  readonly data: string;
  readonly region?: string;
  readonly endpoint?: string;
}

function placeOf({ data, region, endpoint }: PlaceFlags): Backend {
  if (region !== undefined) return { region, endpoint };
  if (endpoint === undefined) return { folder: data };
  // A compatible endpoint accepts any keys, so no AWS account is needed.
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  return {
    endpoint,
    credentials: { accessKeyId: accessKeyId || "any", secretAccessKey: secretAccessKey || "any" },
  };
}

start().catch((error: Error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(1);
});
