/**
 * Runs the bank: its HTTP server, a relay and the read model. `--data FOLDER` stores it in a folder (default: ./bank-data); `--region` and
 * `--endpoint` store it in DynamoDB. Prints its address. SIGTERM and Ctrl+C stop it once its work is done.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { bankServer } from "./bank-server.ts";
import { type Backend, openBank } from "./open-bank.ts";

async function start(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: "./bank-data" },
      region: { type: "string" },
      endpoint: { type: "string" },
      port: { type: "string", default: "8080" },
    },
  });
  const bank = await openBank(placeOf(values), logError);
  const server = bankServer(bank).listen(Number(values.port), "127.0.0.1");
  await once(server, "listening");
  process.stdout.write(`bank at http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      server.close();
      server.closeIdleConnections();
      void bank.close().then(() => process.exit(0));
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

/** What is not done is tried again, so this is only for the reader. */
function logError(error: unknown): void {
  process.stderr.write(`trying again: ${error instanceof Error ? error.message : String(error)}\n`);
}

start().catch((error: Error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(1);
});
