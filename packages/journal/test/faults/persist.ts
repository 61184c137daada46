import { expect } from "vitest";
import type { RecordedJournal } from "../../src/testing/index.ts";
import type { FaultWorld } from "./fault-world.ts";

/** Appends until it is stored, recovering after every conflict, as an actor does. */
export async function persist(
  journal: RecordedJournal,
  { id, texts }: FaultWorld,
  sizes: readonly number[],
  { attempts = 6, beforeEach = async () => {} }: { attempts?: number; beforeEach?: () => Promise<void> } = {},
): Promise<void> {
  let writer = await journal.recover(id);
  for (const size of sizes) {
    for (let attempt = 1; ; attempt++) {
      await beforeEach();
      const outcome = await writer.append(texts(size));
      if (outcome?.kind === "ok") break;
      expect(outcome?.kind, "nothing fails but by the other writer").toBe("conflict");
      if (attempt >= attempts) throw new Error("no progress");
      writer = await journal.recover(id);
    }
  }
}
