import { ensureTable } from "@tablekeep/client";
import { type Engine, openEngine } from "@tablekeep/engine";
import { shadowTableSpec } from "@tablekeep/shadow";
import { onTestFinished } from "vitest";
import { startServer } from "../../src/server/start-server.ts";

/** A server with shadows in memory, until the test is over. */
export interface StartedShadows {
  readonly engine: Engine;
  /** Where HTTP is, without a slash at its end. */
  readonly http: string;
  readonly mqttPort: number;
}

export async function startShadows(): Promise<StartedShadows> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec());
  const server = await startServer({ port: engine, journals: [], mail: false, httpPort: 0, mqttPort: 0 });
  onTestFinished(async () => {
    await server.stop();
    await engine.close();
  });
  const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  return {
    engine,
    http: urlOf("http").replace(/\/$/, ""),
    mqttPort: Number(new URL(urlOf("mqtt")).port),
  };
}
