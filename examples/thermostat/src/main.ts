/**
 * A thermostat and an app, for a running `tablekeep serve`. `main.js device` runs the thermostat, `main.js app 21.5` the app;
 * without arguments, both run until the room is warm.
 */
import { parseArgs } from "node:util";
import { openApp } from "./app.ts";
import { startDevice } from "./device.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    thing: { type: "string", default: "hall" },
    mqtt: { type: "string", default: "mqtt://127.0.0.1:1883" },
    http: { type: "string", default: "http://127.0.0.1:8025" },
    "step-ms": { type: "string", default: "1000" },
  },
});
const { thing, mqtt, http, "step-ms": stepMs } = values;
const [part = "both", target = "21.5"] = positionals;
const say = (line: string) => process.stdout.write(`${line}\n`);

async function runDevice(): Promise<() => Promise<void>> {
  const device = await startDevice(mqtt, thing, ({ celsius, heating }) =>
    say(`device: ${celsius} °C${heating ? ", heating" : ""}`),
  );
  const timer = setInterval(() => void device.step().catch(() => {}), Number(stepMs));
  return async () => {
    clearInterval(timer);
    await device.stop();
  };
}

async function runApp(): Promise<void> {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const app = openApp({ endpoint: http, region: "us-east-1", credentials });
  await app.desire(thing, Number(target));
  say(`app: ${target} °C, please`);
  const { version, reported } = await app.reached(thing, AbortSignal.timeout(60_000));
  say(`app: ${thing} has ${reported.celsius} °C, at version ${version}`);
  app.close();
}

async function run(): Promise<void> {
  const stopDevice = part === "app" ? undefined : await runDevice();
  if (part === "device") {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stopDevice?.());
  } else {
    await runApp();
    await stopDevice?.();
  }
}

run().catch((error: NodeJS.ErrnoException) => {
  const advice = error.code === "ECONNREFUSED" ? ": start the server first, with npm start" : "";
  process.stderr.write(`error: ${error.message}${advice}\n`);
  process.exit(1);
});
