import { callApi } from "../api/call-api.ts";
import { createStore, type Store } from "../shell/store.ts";

/** How SMTP misbehaves: chances from 0 to 1, speeds in bytes per second. */
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

/** The chaos of the server; undefined while SMTP behaves. */
export const chaos: Store<ChaosSettings | undefined> = createStore<ChaosSettings | undefined>(undefined);

const path = "/api/v3/mail/chaos";

interface Told {
  readonly settings: ChaosSettings | null;
}

export async function readChaos(signal: AbortSignal): Promise<void> {
  chaos.set((await callApi<Told>(path, { signal })).settings ?? undefined);
}

/** Begins it, or changes it. What is not given has its usual value. */
export async function startChaos(settings: Partial<ChaosSettings>): Promise<void> {
  chaos.set((await callApi<Told>(path, { method: "PUT", body: settings })).settings ?? undefined);
}

export async function stopChaos(): Promise<void> {
  await callApi<Told>(path, { method: "DELETE" });
  chaos.set(undefined);
}
