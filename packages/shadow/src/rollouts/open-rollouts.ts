import { decodePageCursor, encodePageCursor, newWriteId, queryItems } from "@tablekeep/client";
import {
  checkPort,
  type DynamoPort,
  type Item,
  isDynamoError,
  type OptionChecks,
  optionCheck,
  type QueryInput,
} from "@tablekeep/core";
import { isObject } from "../document/document-value.ts";
import type { ShadowManager } from "../manager/shadow-manager.ts";
import { checkCall, type ShadowCallOptions } from "../model/call-options.ts";
import { checkOptions, optionInvalid, ShadowError } from "../model/shadow-error.ts";
import { parseQuery } from "../query/parse-query.ts";
import {
  beginCall,
  resolveShadowsOptions,
  type ShadowsOptions,
  type StoreCall,
} from "../store/store-options.ts";
import { advanceRollout } from "./advance-rollout.ts";
import { checkPatch, checkThings } from "./check-desired.ts";
import type {
  Rollout,
  RolloutGate,
  RolloutPhase,
  RolloutRequest,
  RolloutsOptions,
  ShadowRollouts,
} from "./rollout.ts";
import {
  listPartition,
  newRolloutItem,
  readRollout,
  readThing,
  rolloutNotFound,
  rolloutPartition,
  type StoredRollout,
  shownRollout,
} from "./rollout-items.ts";
import { RolloutLeases, RolloutRun } from "./rollout-run.ts";
import { changeRollout, findRollout, type RolloutChange, requestOf } from "./rollout-store.ts";

const maxListed = 1_000;
const share = /^(?:100|\d{1,2})(?:\.\d{1,3})?%$/;

const requestChecks: OptionChecks<RolloutRequest> = {
  name: (value) =>
    typeof value === "string" && /^[\w:-]{1,128}$/.test(value)
      ? undefined
      : "must be 1 to 128 letters, digits, :, _ and -",
  query: optionCheck.nonEmptyString,
  shadow: optionCheck.string,
  desired: (value) =>
    isObject(value as never) && Object.keys(value as object).length > 0
      ? undefined
      : "must be an object with at least one key",
  waves: (value) =>
    Array.isArray(value) && value.length <= 100 && value.every(isWave)
      ? undefined
      : 'must be a list of at most 100 sizes, each an integer of at least 1 or a share such as "10%"',
  gate: (value) => (isObject(value as never) ? undefined : "must be an object"),
};

const gateChecks: OptionChecks<RolloutGate> = {
  succeeded: (value) =>
    typeof value === "number" && value >= 0 && value <= 1 ? undefined : "must be a number from 0 to 1",
  withinMs: optionCheck.milliseconds,
  onFailure: optionCheck.oneOf("pause", "roll-back"),
};

const rolloutsChecks: OptionChecks<RolloutsOptions> = { runner: optionCheck.nonEmptyString };

function isWave(wave: unknown): boolean {
  if (typeof wave === "number") return Number.isInteger(wave) && wave >= 1;
  return typeof wave === "string" && share.test(wave) && Number.parseFloat(wave) > 0;
}

/**
 * Opens the rollouts in the table of a manager, which must follow AWS's policy: there, desired values stay when they are reported.
 *
 * @example
 * const rollouts = openRollouts(port, manager, { table: "things" });
 * await rollouts.create({ name: "v2", query: 'reported.firmware < "2.1"', desired: { firmware: "2.1" } });
 */
export function openRollouts(
  port: DynamoPort,
  manager: ShadowManager,
  storeOptions: ShadowsOptions = {},
  options: RolloutsOptions = {},
): ShadowRollouts {
  checkPort(port, optionInvalid);
  const store = { port, options: resolveShadowsOptions(storeOptions) };
  checkOptions(options, rolloutsChecks);
  const leases = new RolloutLeases(options.runner ?? newWriteId());
  const begin = (given: ShadowCallOptions = {}): StoreCall => {
    checkCall(given);
    return beginCall(store, given);
  };
  const request = async (name: string, given: ShadowCallOptions | undefined, wanted: PhaseChange) => {
    const call = begin(given);
    const { from, to, change = {}, isDone = ({ phase }) => phase === to } = wanted;
    const phase = { Phase: { S: to }, Runner: undefined, LeaseUntil: undefined };
    const changed = await changeRollout(call, { name, from, change: { ...phase, ...change } });
    if (changed !== undefined) return shownRollout(changed);
    const found = await findRollout(call, name);
    if (found === undefined) throw rolloutNotFound(name);
    if (isDone(found)) return shownRollout(found);
    throw wrongPhase(found, to);
  };
  return {
    async create(given, options) {
      const rollout = newRollout(given, manager, store.options.clock.now());
      const call = begin(options);
      await checkThings(call, manager, rollout);
      return createRollout(call, rollout);
    },
    async get(name, given) {
      const found = await findRollout(begin(given), name);
      return found && shownRollout(found);
    },
    list: async (given) => listRollouts(begin(given)),
    things: async (name, { limit = 100, token } = {}, given) => readThings(begin(given), name, limit, token),
    pause: (name, given) =>
      request(name, given, { from: ["running"], to: "paused", change: { Why: undefined } }),
    resume: async (name, { accept = false } = {}, given) => {
      const found = accept ? await findRollout(begin(given), name) : undefined;
      const accepted = found && { Accepted: { N: String(found.wave) } };
      const now = { N: String(store.options.clock.now()) };
      const change = { Why: undefined, ResumedAt: now, ...accepted };
      const isDone = (other: StoredRollout) =>
        other.phase === "running" && (!accept || other.accepted === found?.wave);
      return request(name, given, { from: ["paused"], to: "running", change, isDone });
    },
    cancel: (name, given) =>
      request(name, given, { from: ["preparing", "running", "paused"], to: "cancelled" }),
    rollBack: (name, given) =>
      request(name, given, {
        from: ["running", "paused", "cancelled", "succeeded"],
        to: "rolling-back",
        isDone: ({ phase }) => phase === "rolling-back" || phase === "rolled-back",
      }),
    advance: (name, { signal } = {}) => advanceRollout(new RolloutRun(store, manager, leases, signal), name),
    release: async (given) => leases.release(begin(given)),
  };
}

/** A change of the phase that a user requests. */
interface PhaseChange {
  readonly from: readonly RolloutPhase[];
  readonly to: RolloutPhase;
  readonly change?: RolloutChange;
  /** Whether a rollout that cannot be changed already has the change, from an earlier request. @default whether it is in the phase */
  readonly isDone?: (rollout: StoredRollout) => boolean;
}

function newRollout(given: RolloutRequest, manager: ShadowManager, createdAt: number): StoredRollout {
  checkOptions(given, requestChecks);
  const { name, query, shadow = "", desired, waves = [], gate = {} } = given;
  for (const [option, value] of Object.entries({ name, query, desired }))
    if (value === undefined) throw optionInvalid(option, "is missing");
  checkOptions(gate, gateChecks);
  if (manager.policy !== "aws") throw optionInvalid("policy", "of the manager must be aws for rollouts");
  parseQuery(query);
  checkPatch({ desired, shadow }, manager);
  const { succeeded = 1, withinMs = 3_600_000, onFailure = "pause" } = gate;
  const fullGate = { succeeded, withinMs, onFailure };
  return {
    name,
    query,
    shadow,
    desired,
    gate: fullGate,
    phase: "preparing",
    wave: 0,
    waves,
    epoch: 0,
    createdAt,
  };
}

async function createRollout(call: StoreCall, rollout: StoredRollout): Promise<Rollout> {
  try {
    const Item = newRolloutItem(rollout);
    const ConditionExpression = "attribute_not_exists(PK)";
    await call.port.putItem({ TableName: call.options.table, Item, ConditionExpression }, requestOf(call));
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    // An attempt whose response was lost may have created it.
    const found = await findRollout(call, rollout.name);
    const isOurs = found?.createdAt === rollout.createdAt && found.query === rollout.query;
    if (!isOurs)
      throw new ShadowError("SHADOW_ROLLOUT_EXISTS", `rollout ${rollout.name} exists: use another name`, {
        rollout: rollout.name,
      });
  }
  return shownRollout(rollout);
}

async function listRollouts(call: StoreCall): Promise<Rollout[]> {
  const found: Rollout[] = [];
  for await (const item of queryItems(call.port, partitionInput(call, rolloutPartition), call.request())) {
    found.push(shownRollout(readRollout(item)));
    if (found.length === maxListed) break;
  }
  return found;
}

async function readThings(call: StoreCall, name: string, limit: number, token: string | undefined) {
  checkOptions({ limit }, { limit: optionCheck.integer(1, 1000) });
  const rollout = await findRollout(call, name);
  if (rollout === undefined) throw rolloutNotFound(name);
  if (rollout.list === undefined) return { things: [] };
  const input = partitionInput(call, listPartition(name, rollout.list));
  const start = token === undefined ? undefined : decodePageCursor(input, token);
  const page = { ...input, Limit: limit, ...(start && { ExclusiveStartKey: start }) };
  const { Items = [], LastEvaluatedKey: last } = await call.port.query(page, requestOf(call));
  return { things: Items.map(shownThing), ...(last && { token: encodePageCursor(input, last) }) };
}

function shownThing(item: Item) {
  const { thing, wave, status, reason } = readThing(item);
  return { thing, wave: wave + 1, status, ...(reason !== undefined && { reason }) };
}

function partitionInput(call: StoreCall, partition: string): QueryInput {
  return {
    TableName: call.options.table,
    ConsistentRead: true,
    KeyConditionExpression: "PK = :partition",
    ExpressionAttributeValues: { ":partition": { S: partition } },
  };
}

function wrongPhase({ name, phase }: StoredRollout, to: RolloutPhase): ShadowError {
  const problem = phase === to ? "not paused: pause it first" : `and cannot become ${to}`;
  return new ShadowError("SHADOW_ROLLOUT_PHASE", `rollout ${name} is ${phase}, ${problem}`, {
    rollout: name,
    phase,
  });
}
