import assert from "node:assert/strict";
import type { Outcome } from "@tablekeep/core";
import type { DocumentValue } from "../../document/document-value.ts";
import type { ShadowPolicy } from "../../manager/manager-options.ts";
import type { ShadowManager } from "../../manager/shadow-manager.ts";
import type { Half, ShadowModel } from "../../model/shadow-error.ts";
import type { OperationResult, Shadows, WriteOperation, WrittenShadow } from "../../store/shadows.ts";

/** A store and a manager on the same table. */
export interface ShadowsUnderTest {
  readonly shadows: Shadows;
  readonly manager: ShadowManager;
  close?(): Promise<void>;
}

/** The environment of a case. */
export interface ShadowSuiteWorld extends ShadowsUnderTest {
  readonly model: ShadowModel;
  readonly policy: ShadowPolicy;
  /** The same shadows in a separate process. */
  another(): Promise<ShadowsUnderTest>;
  /** The same shadows in a process whose requests have the faults of a schedule, in the notation of testkit. */
  withFaults(schedule: string): Promise<ShadowsUnderTest>;
  /** Returns the id of a thing, a new one for each call. */
  unique(): string;
}

/** One behavior of shadows, checked. */
export interface ShadowCase {
  /** States the behavior; unique in the suite. */
  readonly name: string;
  /** The reason: a rule of AWS IoT, a guarantee of this package, or a defect that the case detects. */
  readonly source: string;
  /** The policy that it applies to. @default both */
  readonly policy?: ShadowPolicy;
  /** Whether it needs `openWithFaults`. @default false */
  readonly needsFaults?: boolean;
  readonly run: (world: ShadowSuiteWorld) => Promise<void>;
}

/** The outcome of a call with a single operation. */
export function sole<Value>(results: readonly OperationResult<Value>[]): Outcome<Value> {
  assert.equal(results.length, 1, "one result per operation");
  return (results[0] as OperationResult<Value>).outcome;
}

/** A write of both halves, from one version of both. */
export function both(id: string, value: DocumentValue, version?: number): WriteOperation {
  return {
    id,
    reported: value,
    desired: value,
    version: version === undefined ? undefined : { reported: version, desired: version },
  };
}

/** Writes both halves, which must be stored with this version. */
export async function writes(
  shadows: Shadows,
  operation: WriteOperation,
  version: number,
): Promise<WrittenShadow> {
  const outcome = sole(await shadows.write([operation]));
  if (outcome.kind !== "ok") throw outcome.error;
  assert.deepEqual(outcome.value.versions, { reported: version, desired: version });
  return outcome.value;
}

/** The code of the error of an outcome that must not be ok. */
export function errorCode(outcome: Outcome<unknown>): string {
  assert.notEqual(outcome.kind, "ok", "the outcome is not ok");
  return outcome.kind === "ok" ? "" : outcome.error.code;
}

/** The stored value of a half. */
export async function stored(shadows: Shadows, id: string, half: Half): Promise<DocumentValue | undefined> {
  const outcome = sole(await shadows.read([{ id }]));
  return outcome.kind === "ok" ? outcome.value[half]?.value : undefined;
}
