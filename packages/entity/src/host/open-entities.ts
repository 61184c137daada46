import type { AnyEntity } from "../definition/entity-definition.ts";
import { commandLedger } from "../ledger/command-ledger.ts";
import { optionInvalid } from "../options/check-options.ts";
import { cellKeeper } from "./cell-keeper.ts";
import { entitiesOf, type HostState } from "./entities-of.ts";
import type { EntityHost } from "./entity-host.ts";
import type { HostContext } from "./host-context.ts";
import { type EntitiesOptions, resolveOptions } from "./host-options.ts";
import { slots } from "./slots.ts";
import { createSnapshotter } from "./snapshotter.ts";

/**
 * Opens a host: entities that recover with their first command, carry out commands one after the other, save snapshots
 * and leave memory when they are idle. Journal, snapshots and port stay the caller's.
 *
 * @example
 * const host = await openEntities({ journal, snapshots, entities: [cart] });
 * const reply = await host.of(cart).ask("cart-1", { type: "add", sku: "apple", quantity: 2 });
 */
export async function openEntities<const Entities extends readonly AnyEntity[]>(
  options: EntitiesOptions<Entities>,
): Promise<EntityHost<Entities[number]>> {
  const settings = resolveOptions(options);
  const types = options.entities.map(({ type }) => type);
  const twice = types.find((type, at) => types.indexOf(type) !== at);
  if (twice !== undefined) throw optionInvalid("entities", `has two definitions of type ${twice}`);
  const context: HostContext = {
    ...settings,
    ledger: options.ledger && commandLedger(options.ledger, settings.clock),
    working: slots(settings.maxConcurrent),
    snapshotter: createSnapshotter(settings),
  };
  const host: HostState = { context, cells: cellKeeper(context), pending: 0, closed: false };
  const idle = async () => {
    await host.cells.done();
    await context.snapshotter.idle();
  };
  const close = async () => {
    host.closed = true;
    await idle();
    host.cells.close();
  };
  return {
    of(definition) {
      if (!options.entities.includes(definition))
        throw optionInvalid("entities", `does not have this definition of ${definition.type}`);
      return entitiesOf(host, definition);
    },
    get loaded() {
      return host.cells.size;
    },
    idle,
    close,
    [Symbol.asyncDispose]: close,
  };
}
