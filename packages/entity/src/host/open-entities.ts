import { optionInvalid } from "../call-options.ts";
import type { HostContext } from "../cell/cell.ts";
import { cellKeeper } from "../cell/cell-keeper.ts";
import { slots } from "../cell/slots.ts";
import { createSnapshotter } from "../cell/snapshotter.ts";
import type { AnyEntity } from "../definition/entity-definition.ts";
import { type EntitiesOptions, resolveOptions } from "../host-options.ts";
import { commandLedger } from "../ledger/command-ledger.ts";
import { TailLimits } from "../recovery/tail-limits.ts";
import { entitiesOf, type HostState } from "./entities-of.ts";
import type { EntityHost } from "./entity-host.ts";

/**
 * Opens a host. It recovers an entity with its first command, carries out its commands one at a time, saves snapshots and
 * removes idle entities from memory. Closing the host does not close the journal, the snapshots or the port.
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
  if (twice !== undefined) throw optionInvalid("entities", `must not have two definitions of type ${twice}`);
  const context: HostContext = {
    ...settings,
    ledger: options.ledger && commandLedger(options.ledger, settings.clock),
    working: slots(settings.maxConcurrent),
    snapshotter: createSnapshotter(settings),
    tailLimits: new TailLimits(),
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
        throw optionInvalid("entities", `must contain this definition of ${String(definition?.type)}`);
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
