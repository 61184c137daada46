import { setTimeout as pause } from "node:timers/promises";
import {
  GetThingShadowCommand,
  IoTDataPlaneClient,
  type IoTDataPlaneClientConfig,
  UpdateThingShadowCommand,
} from "@aws-sdk/client-iot-data-plane";
import type { Thermostat } from "./thermostat.ts";

/** A shadow, as the app displays it. */
export interface ThermostatShadow {
  readonly version: number;
  readonly desired: Partial<Thermostat>;
  readonly reported: Partial<Thermostat>;
  /** Whether the device has not yet reached the desired state. */
  readonly pending: boolean;
}

/** A phone app. It uses only the shadow, never the device. */
export interface App {
  read(thing: string): Promise<ThermostatShadow>;
  /** Sets the desired temperature, in degrees Celsius. */
  desire(thing: string, target: number): Promise<void>;
  /** Resolves once the room has the desired temperature. */
  reached(thing: string, signal: AbortSignal): Promise<ThermostatShadow>;
  close(): void;
}

const lookEveryMs = 200;

/** Opens the app. Without `endpoint` it uses AWS IoT. */
export function openApp(config: IoTDataPlaneClientConfig): App {
  const client = new IoTDataPlaneClient(config);
  const read = async (thingName: string) => {
    const { payload } = await client.send(new GetThingShadowCommand({ thingName }));
    const { version, state } = JSON.parse(Buffer.from(payload ?? []).toString());
    const { desired = {}, reported = {}, delta } = state;
    return { version, desired, reported, pending: delta !== undefined } as ThermostatShadow;
  };
  return {
    read,
    async desire(thingName, target) {
      const payload = Buffer.from(JSON.stringify({ state: { desired: { target } } }));
      await client.send(new UpdateThingShadowCommand({ thingName, payload }));
    },
    async reached(thing, signal) {
      for (;;) {
        const shadow = await read(thing);
        if (!shadow.pending && shadow.reported.celsius === shadow.desired.target) return shadow;
        await pause(lookEveryMs, undefined, { signal });
      }
    },
    close: () => client.destroy(),
  };
}
