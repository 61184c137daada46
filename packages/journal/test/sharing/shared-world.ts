import type { DynamoPort } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import type { Journal } from "../../src/context/journal.ts";
import type { JournalOptions } from "../../src/context/journal-options.ts";
import { openJournal } from "../../src/open-journal.ts";
import { collect, engineWith } from "../journal-world.ts";
import { AkkaPlugin } from "./akka-plugin.ts";

export const table = "akka-persistence";

/** A table that both sides use, and one id in it. */
export interface SharedWorld extends AsyncDisposable {
  readonly port: Engine;
  readonly id: string;
  /** An actor of the plugin, recovered. */
  akka(port?: DynamoPort): Promise<AkkaPlugin>;
  /** The journal, opened by another process. */
  open(port?: DynamoPort, options?: JournalOptions): Promise<Journal>;
  /** What both sides read: the strings by sequence number. */
  read(): Promise<{ readonly ours: readonly string[]; readonly akkas: readonly string[] }>;
}

export async function sharedWorld(options: JournalOptions = {}): Promise<SharedWorld> {
  const port = await engineWith({ table });
  const id = "cart-1";
  const open = (own: DynamoPort = port, more: JournalOptions = {}) =>
    openJournal(own, { table, akka: "2.6", ...options, ...more });
  const akka = async (own: DynamoPort = port) => {
    const plugin = new AkkaPlugin({ port: own, table, id });
    await plugin.recover();
    return plugin;
  };
  const text = ({ sequenceNr, payload }: { sequenceNr: number; payload: unknown }) =>
    `${sequenceNr} ${String(payload)}`;
  return {
    port,
    id,
    akka,
    open,
    async read() {
      const journal = await open();
      const ours = (await collect(journal.replay(id))).map(text);
      const akkas = (await new AkkaPlugin({ port, table, id }).replay()).map(text);
      return { ours, akkas };
    },
    [Symbol.asyncDispose]: () => port.close(),
  };
}

/** Texts "a1" to "an" and so on. */
export function texts(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_unused, at) => `${letter}${at + 1}`);
}
