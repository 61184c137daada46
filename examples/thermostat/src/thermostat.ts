/** The state of a thermostat, which is also what it reports, in degrees Celsius. */
export interface Thermostat {
  readonly target: number;
  readonly celsius: number;
  readonly heating: boolean;
}

const [coldest, hottest] = [5, 30];
const warmedByStep = 0.5;

/** A thermostat after it was switched on. */
export const switchedOn: Thermostat = { target: 18, celsius: 18, heating: false };

/** Applies a desired state. Ignores unknown members and values out of range. */
export function obey(thermostat: Thermostat, desired: Readonly<Record<string, unknown>>): Thermostat {
  const { target } = desired as { readonly target?: unknown };
  if (typeof target !== "number" || !(target >= coldest && target <= hottest)) return thermostat;
  return withHeating({ ...thermostat, target });
}

/** Returns the state after some time, in which the room warms up or cools down; the same object if nothing changes. */
export function step(thermostat: Thermostat): Thermostat {
  const { celsius, target } = thermostat;
  if (celsius === target) return thermostat;
  const missing = Math.max(-warmedByStep, Math.min(warmedByStep, target - celsius));
  return withHeating({ ...thermostat, celsius: celsius + missing });
}

function withHeating(thermostat: Thermostat): Thermostat {
  return { ...thermostat, heating: thermostat.celsius < thermostat.target };
}
