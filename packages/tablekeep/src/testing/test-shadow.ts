import { callServer } from "./call-server.ts";
import { differences, printed } from "./differences.ts";
import type { ShadowChanges, ShadowState, ShadowVersion } from "./shadow-changes.ts";
import { type WaitLimits, waitUntil } from "./wait-until.ts";

/** What a test expects of a version of a shadow: values that are not named do not count. */
export interface WantedShadow {
  readonly desired?: Readonly<Record<string, unknown>>;
  readonly reported?: Readonly<Record<string, unknown>>;
  /** null: there is no difference between desired and reported values. */
  readonly delta?: Readonly<Record<string, unknown>> | null;
}

/** Which version to wait for. */
export interface ShadowWait extends WaitLimits {
  /** The version after which to begin. @default 0: all versions since the test began */
  readonly after?: number;
}

/** The shadow of one thing of a test. */
export interface TestShadow {
  /** The thing's name on the server, which no other test has. */
  readonly thing: string;
  /**
   * Returns the shadow; undefined if it does not exist.
   *
   * @example
   * const lamp = await t.shadow("lamp").get();
   */
  get(): Promise<ShadowVersion | undefined>;
  /**
   * Merges into the desired state.
   *
   * @example
   * const { version } = await t.shadow("lamp").desire({ on: true });
   */
  desire(state: Readonly<Record<string, unknown>>): Promise<ShadowVersion>;
  /**
   * Merges into the reported state, as the device does. `device` of the test is one that can fail.
   *
   * @example
   * await t.shadow("lamp").report({ on: true });
   */
  report(state: Readonly<Record<string, unknown>>): Promise<ShadowVersion>;
  /**
   * Returns the first version that fits, whether it was stored before this call or comes later.
   *
   * @example
   * await t.shadow("lamp").waitFor({ reported: { on: true }, delta: null });
   */
  waitFor(
    wanted: WantedShadow | ((version: ShadowVersion) => boolean),
    wait?: ShadowWait,
  ): Promise<ShadowVersion>;
}

/** Versions of a test that are kept: a test with more waits after a later one. */
const maxVersions = 10_000;

/** All versions of a test's shadows since it began. */
export interface ShadowLog {
  readonly versions: readonly ShadowVersion[];
  readonly changes: ShadowChanges;
  onChange(listener: () => void): () => void;
  stop(): void;
}

/** Keeps the versions of things whose names begin with `prefix`. */
export function logShadows(changes: ShadowChanges, prefix: string): ShadowLog {
  const versions: ShadowVersion[] = [];
  const listeners = new Set<() => void>();
  const stop = changes.listen((change) => {
    if (change !== undefined && !change.thing.startsWith(prefix)) return;
    if (change !== undefined) versions.push(change);
    if (versions.length > maxVersions) versions.shift();
    for (const listener of listeners) listener();
  });
  return {
    versions,
    changes,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop,
  };
}

/** Where a shadow is. */
export interface TestShadowOptions {
  readonly url: string;
  readonly thing: string;
  readonly name: string;
  readonly log: ShadowLog;
  /** Ends all waits. */
  readonly signal: AbortSignal;
}

export function testShadow({ url, thing, name, log, signal: ended }: TestShadowOptions): TestShadow {
  const path = pathOf(url, thing, name);
  const patch = async (halves: ShadowState) =>
    readVersion(await callServer(path, { method: "PATCH", body: JSON.stringify(halves), signal: ended }));
  return {
    thing,
    async get() {
      const answer = await callServer(path, { allow: 404, signal: ended });
      if (answer.status !== 404) return readVersion(answer);
      await answer.arrayBuffer();
      return undefined;
    },
    desire: (state) => patch({ desired: state }),
    report: (state) => patch({ reported: state }),
    waitFor(wanted, { after = 0, timeoutMs, signal } = {}) {
      const isWanted =
        typeof wanted === "function" ? wanted : (each: ShadowVersion) => misses(wanted, each).length === 0;
      const own = () =>
        log.versions.filter((each) => each.thing === thing && each.name === name && each.version > after);
      const find = () => {
        if (log.changes.failure !== undefined) throw log.changes.failure;
        return own().find(isWanted);
      };
      const waitedFor = `version of shadow ${thing} ${typeof wanted === "function" ? "that fits" : `with ${printed(wanted)}`}`;
      const seen = () => own().map((each) => line(each, typeof wanted === "function" ? {} : wanted));
      const limits = { timeoutMs, signal: signal === undefined ? ended : AbortSignal.any([ended, signal]) };
      return waitUntil({ find, onChange: log.onChange, waitedFor, seen }, limits);
    },
  };
}

/** Returns a line for each value that is not as wanted. */
function misses({ delta, ...halves }: WantedShadow, version: ShadowVersion): readonly string[] {
  const wanted = delta === undefined ? halves : { ...halves, delta: delta ?? undefined };
  return differences(wanted, { ...version.state, delta: version.delta });
}

function line(version: ShadowVersion, wanted: WantedShadow): string {
  const found = misses(wanted, version);
  return `version ${version.version} ${version.kind} ${printed(version.state)}${found.length === 0 ? "" : `: ${found.join("; ")}`}`;
}

function pathOf(url: string, thing: string, name: string): URL {
  const path = new URL(`api/v3/shadows/${encodeURIComponent(thing)}`, url);
  if (name !== "") path.searchParams.set("name", name);
  return path;
}

/** Deletes the shadows that still exist, by their last versions. */
export async function removeShadows(url: string, versions: readonly ShadowVersion[]): Promise<void> {
  const last = new Map(versions.map((each) => [JSON.stringify([each.thing, each.name]), each]));
  const left = [...last.values()].filter(({ kind }) => kind === "updated");
  const removals = left.map(async ({ thing, name }) => {
    const answer = await callServer(pathOf(url, thing, name), { method: "DELETE", allow: 404 });
    await answer.arrayBuffer();
  });
  await Promise.all(removals);
}

async function readVersion(answer: Response): Promise<ShadowVersion> {
  const { thing, name, version, state, delta } = (await answer.json()) as Omit<ShadowVersion, "kind">;
  return { thing, name, kind: "updated", version, state, ...(delta !== undefined && { delta }) };
}
