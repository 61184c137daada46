import { callApi } from "../api/call-api.ts";
import { createStore, type Store } from "../shell/store.ts";

/** Settings of fault injection: chances from 0 to 1, speeds in bytes per second. */
export interface ChaosSettings {
  readonly acceptChance: number;
  readonly disconnectChance: number;
  readonly linkSpeedAffect: number;
  readonly linkSpeedMin: number;
  readonly linkSpeedMax: number;
  readonly rejectSenderChance: number;
  readonly rejectRecipientChance: number;
  readonly rejectAuthChance: number;
}

/** Fault injection of the server. */
export interface Chaos {
  /** undefined while it is off. */
  readonly settings: ChaosSettings | undefined;
  /** The default settings; undefined until the server has reported them. */
  readonly defaults: ChaosSettings | undefined;
}

export const chaos: Store<Chaos> = createStore<Chaos>({ settings: undefined, defaults: undefined });

const path = "/api/v3/mail/chaos";

interface ChaosAnswer {
  readonly settings: ChaosSettings | null;
  readonly defaults?: ChaosSettings;
}

export async function readChaos(signal: AbortSignal): Promise<void> {
  update(await callApi<ChaosAnswer>(path, { signal }));
}

/** Starts or changes it. Omitted settings have their defaults. */
export async function startChaos(settings: Partial<ChaosSettings>): Promise<void> {
  update(await callApi<ChaosAnswer>(path, { method: "PUT", body: settings }));
}

export async function stopChaos(): Promise<void> {
  update(await callApi<ChaosAnswer>(path, { method: "DELETE" }));
}

function update({ settings, defaults = chaos.get().defaults }: ChaosAnswer): void {
  chaos.set({ settings: settings ?? undefined, defaults });
}
