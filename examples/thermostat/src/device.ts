import { connectAsync } from "mqtt";
import { obey, step, switchedOn, type Thermostat } from "./thermostat.ts";

/** A connected device. */
export interface Device {
  state(): Thermostat;
  /** Advances time, and reports what has changed. */
  step(): Promise<void>;
  /** Disconnects once all its reports have arrived. */
  stop(): Promise<void>;
}

interface ShadowDocument {
  readonly version: number;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Connects a thermostat to its shadow over MQTT. Calls `onChange` with each reported state. */
export async function startDevice(
  url: string,
  thing: string,
  onChange: (state: Thermostat) => void = () => {},
): Promise<Device> {
  const shadow = `$aws/things/${thing}/shadow`;
  let state = switchedOn;
  let seenVersion = 0;
  const client = await connectAsync(url, { clientId: thing }, false);
  const report = async () => {
    onChange(state);
    await client.publishAsync(`${shadow}/update`, JSON.stringify({ state: { reported: state } }), { qos: 1 });
  };
  const hear = async (document: ShadowDocument, desired: Readonly<Record<string, unknown>>) => {
    // Messages may arrive late or twice: ignore versions that are not newer.
    if (document.version <= seenVersion) return;
    seenVersion = document.version;
    const next = obey(state, desired);
    if (next === state) return;
    state = next;
    await report();
  };
  client.on("error", () => {});
  client.on("message", (topic, payload) => {
    const document = JSON.parse(payload.toString()) as ShadowDocument;
    const isDelta = topic === `${shadow}/update/delta`;
    const { delta } = document.state as { readonly delta?: ShadowDocument["state"] };
    hear(document, isDelta ? document.state : (delta ?? {})).catch((error: Error) =>
      client.emit("error", error),
    );
  });
  await client.subscribeAsync([`${shadow}/update/delta`, `${shadow}/get/accepted`], { qos: 1 });
  const ask = () => client.publishAsync(`${shadow}/get`, "", { qos: 1 });
  // Changes while it was offline are not sent to it, so it reads the shadow.
  client.on("connect", () => void ask().catch(() => {}));
  await report();
  await ask();
  return {
    state: () => state,
    async step() {
      const next = step(state);
      if (next === state) return;
      state = next;
      await report();
    },
    async stop() {
      await client.endAsync();
    },
  };
}
