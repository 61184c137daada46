import { appending, batchSizes, isOver, writerActions } from "./clients.mjs";
import { deleteTo } from "./deleting.mjs";
import { snapshotKey } from "./layout.mjs";
import { purge } from "./purging.mjs";
import { readPosition, replay } from "./reading.mjs";
import {
  deleteCovered,
  forget,
  loadEntity,
  readState,
  removeSnapshotsAbove,
  saveSnapshot,
} from "./snapshots.mjs";
import { list, Violation } from "./world.mjs";

/** An entity in a host: loads its state, appends, saves snapshots, and deletes the events that they contain. */
export function* entity(me, truth, options) {
  const { world } = me;
  for (let action = 0; action < writerActions; action++) {
    if (world.chance(0.3)) yield* idle(40);
    me.busy = true;
    if (me.state === undefined || world.chance(0.1)) yield* loading(me, truth, options);
    if (me.state === undefined) yield* idle(20);
    else if (world.chance(0.35)) yield* saving(me, options);
    else if (isOver(yield* appending(me, truth, world.pick(batchSizes), options))) me.state = undefined;
    me.busy = false;
  }
}

function* idle(turns) {
  for (let turn = 0; turn < turns; turn++) yield { idle: true };
}

function* loading(me, truth, options) {
  const known = truth.known();
  const loaded = yield* loadEntity(me, options);
  truth.replayed(loaded, known);
  if (options.strict) truth.takenOver(me);
  truth.served(loaded, known);
  me.state = loaded.state;
  me.world.say(me.name, loaded.refused ?? `loads ${loaded.state.size} events up to ${loaded.highest}`);
  return loaded;
}

function* saving(me, options) {
  yield* saveSnapshot(me);
  me.world.say(me.name, `saves a snapshot at ${me.next - 1}`);
  if (me.world.chance(0.4)) yield* deleteCovered(me.world, options);
}

/** Reads states and events. What begins before a new life and ends after it may fail, and proves nothing. */
export function* stateReader(truth, options) {
  for (let count = 0; count < 12; count++) {
    const known = truth.known();
    try {
      if (count % 3 === 0) truth.replayed(yield* replay(options), known);
      else truth.served(yield* readState(options), known);
    } catch (error) {
      if (!(error instanceof Violation) || !truth.isOver(known)) throw error;
    }
    yield* idle(10);
  }
}

/** Deletes events that a snapshot contains, and now and then all there is. */
export function* trimmer(world, options) {
  for (let count = 0; count < 8; count++) {
    yield* idle(world.below(40));
    const [oldest] = yield* list(snapshotKey(""));
    const { highest } = yield* readPosition(options);
    yield* deleteTo(world, world.chance(0.2) ? highest : (oldest?.seq ?? 0), options);
  }
}

/**
 * Forgets the entity, purges its journal alone, or restores it without the snapshots, with the entity stopped in all hosts.
 * May be interrupted after any request; the entity is started again, and the same is done once more later.
 */
export class Operator {
  #world;
  #truth;
  #options;
  #hosts;
  #backup;
  /** The operations that have not ended. */
  #pending;
  #actions = 0;

  constructor(world, truth, options, hosts) {
    this.#world = world;
    this.#truth = truth;
    this.#options = options;
    this.#hosts = hosts;
  }

  *work() {
    const world = this.#world;
    this.#hosts.go();
    for (; this.#actions < 3; this.#actions += this.#pending === undefined ? 1 : 0) {
      if (this.#pending === undefined && world.chance(0.6)) this.#takeBackup();
      yield* idle(world.below(120));
      this.#pending ??= this.#choose();
      this.#hosts.stop();
      this.#truth.stopped();
      world.say("O:", this.#pending);
      const isDone = yield* cut(
        this.#steps(this.#pending),
        world.chance(0.5) ? world.below(30) : maxRequests,
      );
      world.say("O:", this.#pending, isDone ? "ends" : "is cut short");
      if (isDone) this.#pending = afterwards[this.#pending];
      this.#truth.stopped();
      this.#hosts.go();
    }
  }

  #choose() {
    const choice = this.#world.random();
    if (choice < 0.35 && this.#backup !== undefined) return "restore";
    return choice < 0.7 ? "forget" : "purge";
  }

  *#steps(action) {
    const moments = momentsOf(this.#world, this.#truth, action === "forget");
    const options = this.#options;
    if (action === "forget") yield* forget(this.#world, options, moments);
    else if (action === "purge") yield* purge(this.#world, options, moments);
    else if (action === "restore") this.#restore();
    else {
      yield* removeSnapshotsAbove((yield* readPosition(options)).highest);
      this.#truth.snapshotsLeft(false);
    }
    if (action !== "remove snapshots") this.#backup = undefined;
  }

  #takeBackup() {
    const items = [...this.#world.items].filter(([key]) => !key.startsWith(snapshotKey("")));
    this.#backup = { items, truth: this.#truth.backup(this.#world.lastId) };
    this.#world.say("O: takes a backup");
  }

  #restore() {
    const { items, truth } = this.#backup;
    const snapshots = [...this.#world.items].filter(([key]) => key.startsWith(snapshotKey("")));
    this.#world.items = new Map([...items, ...snapshots]);
    // A restore creates a new table: requests sent to the previous one do not reach it.
    this.#hosts.moveToRestored();
    this.#truth.restored(truth, this.#world.lastId);
    this.#truth.snapshotsLeft(true);
  }
}

/** What is left to do where the snapshots may be ahead. */
const afterwards = { purge: "remove snapshots", restore: "remove snapshots" };
const maxRequests = 10_000;

/** Runs steps up to a number of requests. False if they have not ended by then. */
function* cut(steps, requests) {
  let answer;
  for (let count = 0; count < requests; count++) {
    const { value, done } = steps.next(answer);
    if (done) return true;
    answer = yield value;
  }
  return false;
}

/** Callbacks of a purge: once its mark is written, and when its last item, at a key, is removed. */
function momentsOf(world, truth, withSnapshots) {
  const isLeft = (last) => (key) => key !== last && !key.startsWith(snapshotKey(""));
  return {
    marked: () => truth.stopped(),
    ended(last) {
      truth.purged({ left: [...world.items.keys()].filter(isLeft(last)), lastId: world.lastId });
      if (!withSnapshots) truth.snapshotsLeft(true);
      world.say("a new life begins");
    },
  };
}

/** No further faults: an entity that was rejected can be used again after what its refusal asks for. */
export function* calmEntity(me, truth, options) {
  truth.stopped();
  const { world } = me;
  let loaded = yield* loading(me, truth, options);
  if (loaded.refused === "snapshot ahead") {
    yield* removeSnapshotsAbove(loaded.highest);
    loaded = yield* loading(me, truth, options);
  }
  if (loaded.refused === "history deleted") {
    yield* forget(world, options, momentsOf(world, truth, true));
    loaded = yield* loading(me, truth, options);
  }
  if (loaded.refused !== undefined) throw new Violation(`no progress: a load ends with ${loaded.refused}`);
  for (const count of [1, 5]) {
    const outcome = yield* appending(me, truth, count, options);
    if (outcome !== "ok")
      throw new Violation(`no progress: an append of ${count} by an entity ends as ${outcome}`);
    yield* saveSnapshot(me);
    yield* deleteCovered(world, options);
    yield* loading(me, truth, options);
  }
}

/** Nothing of an entity is left once it is forgotten. */
export function* forgotten(world, truth, options) {
  yield* forget(world, options, momentsOf(world, truth, true));
  if (world.items.size > 0)
    throw new Violation(`${[...world.items.keys()].join(", ")} are left of the entity`);
}
