/** What a thermostat knows, in degrees Celsius. This is also what it reports. */
export interface Thermostat {
  readonly target: number;
  readonly celsius: number;
  readonly heating: boolean;
}

const [coldest, hottest] = [5, 30];
const warmedByStep = 0.5;

/** A thermostat that has just been switched on. */
export const switchedOn: Thermostat = { target: 18, celsius: 18, heating: false };

/** Does what somebody desires, as far as it can: what it does not know, or cannot reach, it leaves as it is. */
export function obey(thermostat: Thermostat, desired: Readonly<Record<string, unknown>>): Thermostat {
  const { target } = desired as { readonly target?: unknown };
  if (typeof target !== "number" || !(target >= coldest && target <= hottest)) return thermostat;
  return withHeating({ ...thermostat, target });
}

/** Some time passes: the room warms up, or cools down. The same object where nothing changes. */
export function step(thermostat: Thermostat): Thermostat {
  const { celsius, target } = thermostat;
  if (celsius === target) return thermostat;
  const missing = Math.max(-warmedByStep, Math.min(warmedByStep, target - celsius));
  return withHeating({ ...thermostat, celsius: celsius + missing });
}

function withHeating(thermostat: Thermostat): Thermostat {
  return { ...thermostat, heating: thermostat.celsius < thermostat.target };
}
