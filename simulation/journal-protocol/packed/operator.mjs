import { idle } from "./clients.mjs";
import { purge } from "./purging.mjs";

/**
 * Purges an id, or restores its table as it was, with its writers stopped in all hosts. May be interrupted after any request; the writers
 * are started again, and the same is done once more later.
 */
export class Operator {
  #world;
  #truth;
  #options;
  #hosts;
  #backup;
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
      this.#pending ??= this.#backup !== undefined && world.chance(0.4) ? "restore" : "purge";
      this.#hosts.stop();
      this.#truth.stopped();
      world.say("O:", this.#pending);
      const isDone = yield* cut(this.#steps(this.#pending), world.chance(0.5) ? world.below(30) : 10_000);
      world.say("O:", this.#pending, isDone ? "ends" : "is cut short");
      if (isDone) this.#pending = undefined;
      this.#truth.stopped();
      this.#hosts.go();
    }
  }

  *#steps(action) {
    if (action === "purge") {
      this.#truth.snapshotsLeft(true);
      yield* purge(this.#options, momentsOf(this.#world, this.#truth));
    } else this.#restore();
    this.#backup = undefined;
  }

  #takeBackup() {
    const items = [...this.#world.items];
    this.#backup = {
      items,
      truth: this.#truth.backup(this.#world.lastId),
      isPurged: this.#truth.known().mayBeAhead,
    };
    this.#world.say("O: takes a backup");
  }

  #restore() {
    const { items, truth, isPurged } = this.#backup;
    this.#world.items = new Map(items);
    // A restore creates a new table: requests sent to the previous one do not reach it.
    this.#hosts.moveToRestored();
    this.#truth.restored(truth, this.#world.lastId);
    this.#truth.snapshotsLeft(isPurged);
  }
}

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

/** Callbacks of a purge: once all events count as deleted, and when its last item is removed. */
export function momentsOf(world, truth) {
  return {
    marked: () => truth.stopped(),
    ended() {
      const left = [...world.items.keys()].filter((key) => key !== "W");
      truth.purged({ left, lastId: world.lastId });
      truth.snapshotsLeft(false);
      world.say("a new life begins");
    },
  };
}
