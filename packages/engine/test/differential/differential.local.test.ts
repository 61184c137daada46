import { httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { beyondRatchet } from "./gaps/ratchet.ts";
import { sequences } from "./generate/sequences.ts";
import { type Lane, openLane } from "./run/lane.ts";
import { report } from "./run/report.ts";
import { type GapCounts, runSequence } from "./run/run-sequence.ts";

const endpoint = inject("dynamoDbLocal");

// `npm run differential` sets these, the seed at random. A plain test run does a few sequences, always the same.
const total = Number(process.env["DIFFERENTIAL_SEQUENCES"] ?? 60);
const seed = Number(process.env["DIFFERENTIAL_SEED"] ?? fc.readConfigureGlobal().seed);
const laneCount = Math.min(total, 3);
const isLongRun = process.env["DIFFERENTIAL_GAPS"] !== undefined;

/** A long run reports progress after this many sequences. */
const progressStep = 250;

/** A sequence takes about 0.2 seconds. The rest is for a machine that is slow and busy, as in vitest.config.ts. */
const timeoutMs = Math.max(600_000, total * 10_000);

describe.skipIf(endpoint === "")("random sequences of operations", () => {
  const counts: GapCounts = { steps: 0, gaps: new Map() };
  const lanes: Lane[] = [];
  let local: DynamoPort;
  let passed = 0;

  beforeAll(async () => {
    local = httpPort({
      endpoint,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      maxAttempts: 1,
      deadlineMs: 60_000,
      socketTimeoutMs: 60_000,
    });
    const run = `differential-${process.pid}-${Math.floor(Math.random() * 2 ** 31).toString(36)}`;
    for (let lane = 0; lane < laneCount; lane++) lanes.push(await openLane(local, `${run}-${lane}`));
  });
  afterAll(async () => {
    for (const lane of lanes) await lane.drop();
    await local.close();
  });

  test(`are answered by the engine as by DynamoDB Local, except for its known gaps (seed ${seed})`, {
    timeout: timeoutMs,
  }, async () => {
    const numRuns = Math.ceil(total / laneCount);
    const failures = await Promise.all(lanes.map((lane, at) => failureIn(lane, seed + at, numRuns)));
    expect(failures.filter((failure) => failure !== undefined).join("\n\n")).toBe("");
    if (isLongRun) process.stdout.write(gapReport(counts));
    expect(beyondRatchet(counts)).toEqual([]);
  });

  async function failureIn(lane: Lane, laneSeed: number, numRuns: number): Promise<string | undefined> {
    let isShrinking = false;
    const property = fc.asyncProperty(sequences(lane.tables), async (steps) => {
      const difference = await runSequence(lane, steps, isShrinking ? { steps: 0, gaps: new Map() } : counts);
      if (difference !== undefined) {
        const reported = report(steps, difference);
        if (isLongRun && !isShrinking) process.stdout.write(`being shrunk: ${reported}\n`);
        isShrinking = true;
        throw new Error(reported);
      }
      if (isShrinking) return;
      passed++;
      if (isLongRun && passed % progressStep === 0) process.stdout.write(`${passed} sequences\n`);
    });
    const details = await fc.check(property, {
      seed: laneSeed,
      numRuns,
      endOnFailure: false,
    });
    if (!details.failed) return undefined;
    const cause = details.errorInstance instanceof Error ? details.errorInstance.message : "interrupted";
    const failure = `sequence ${details.numRuns} of seed ${laneSeed}, path ${details.counterexamplePath}:\n${cause}`;
    if (isLongRun) process.stdout.write(`${failure}\n`);
    return failure;
  }
});

function gapReport({ steps, gaps }: GapCounts): string {
  const lines = [...gaps]
    .sort(([, one], [, two]) => two - one)
    .map(([gap, count]) => `${count} (${((1000 * count) / steps).toFixed(2)} ‰) × ${gap}`);
  return `known gaps of DynamoDB Local met in ${steps} steps:\n${lines.join("\n")}\n`;
}
