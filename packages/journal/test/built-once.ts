import type { Engine } from "@tablekeep/engine";
import { onTestFinished } from "vitest";

/**
 * A setup for `stopAfterNth` whose world is built once and restored before every run: building it takes longer than most
 * runs. Its engine is closed after the test.
 */
export function builtOnce<World extends { readonly port: Engine }>(
  build: () => Promise<World>,
): () => Promise<World> {
  let built: Promise<{ readonly world: World; readonly restore: () => Promise<void> }> | undefined;
  const start = async () => {
    const world = await build();
    onTestFinished(() => world.port.close());
    const checkpoint = await world.port.checkpoint();
    return { world, restore: () => world.port.restore(checkpoint) };
  };
  return async () => {
    built ??= start();
    const { world, restore } = await built;
    await restore();
    return world;
  };
}
