import { callApi } from "../api/call-api.ts";
import { createStore, type Store } from "../shell/store.ts";
import { mailPath } from "./mail-message.ts";

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

/** Fault injection of the server, or for one inbox. */
export interface Chaos {
  /** The inbox that was read; "" is the whole server. */
  readonly inbox: string;
  /** undefined while it is off. */
  readonly settings: ChaosSettings | undefined;
  /** The default settings; undefined until the server has reported them. */
  readonly defaults: ChaosSettings | undefined;
}

export const chaos: Store<Chaos> = createStore<Chaos>({
  inbox: "",
  settings: undefined,
  defaults: undefined,
});

const pathOf = (inbox: string) => `${mailPath(inbox)}/chaos`;

interface ChaosAnswer {
  readonly settings: ChaosSettings | null;
  readonly defaults?: ChaosSettings;
}

export async function readChaos(inbox: string, signal: AbortSignal): Promise<void> {
  update(inbox, await callApi<ChaosAnswer>(pathOf(inbox), { signal }));
}

/** Starts or changes it. Omitted settings have their defaults. */
export async function startChaos(inbox: string, settings: Partial<ChaosSettings>): Promise<void> {
  update(inbox, await callApi<ChaosAnswer>(pathOf(inbox), { method: "PUT", body: settings }));
}

export async function stopChaos(inbox: string): Promise<void> {
  update(inbox, await callApi<ChaosAnswer>(pathOf(inbox), { method: "DELETE" }));
}

function update(inbox: string, { settings, defaults = chaos.get().defaults }: ChaosAnswer): void {
  chaos.set({ inbox, settings: settings ?? undefined, defaults });
}
