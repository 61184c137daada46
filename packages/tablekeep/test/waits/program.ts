import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { type EngineOptions, openEngine } from "@tablekeep/engine";
import { faultyPort } from "@tablekeep/testkit";

/** A public call that waits, made by a program that has nothing else to do. */
export interface WaitingCall {
  /** The files that set the timer it waits for. */
  readonly waitsIn: readonly string[];
  /** Makes the call. */
  readonly run: () => Promise<unknown>;
  /** What `run` resolves to. */
  readonly result: unknown;
}

export const things = { name: "things", partitionKey: { name: "id", type: "S" } } as const;
export const thing = { TableName: "things", Item: { id: { S: "a" } } };
export const thingKey = { TableName: "things", Key: { id: { S: "a" } } };

/** Nothing listens on port 1. */
export const unreachable = { endpoint: "http://127.0.0.1:1", region: "us-east-1" };
export const credentials = { accessKeyId: "id", secretAccessKey: "secret" };

export async function engine(behavior?: EngineOptions["behavior"]): Promise<DynamoPort> {
  return openEngine({ storage: { kind: "memory" }, behavior });
}

export async function engineWithThings(): Promise<DynamoPort> {
  const port = await engine();
  await ensureTable(port, things);
  return port;
}

/** A port that fails as a schedule says. */
export const faulty = (port: DynamoPort, ...faults: readonly string[]) =>
  faultyPort(port, `seed=1 faults=[${faults.map((fault) => `{${fault}}`).join(",")}]`);

/** Does something later without keeping the process alive for it. */
export function later(ms: number, work: () => unknown): void {
  setTimeout(() => void work(), ms).unref();
}

/** The code of the error that a call rejects with. */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no error",
    (error: { code?: unknown }) => error.code ?? String(error),
  );

export async function first<Value>(values: AsyncIterable<Value>): Promise<Value | undefined> {
  for await (const value of values) return value;
  return undefined;
}

export async function inFolder<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  const path = mkdtempSync(join(tmpdir(), "tablekeep-waits-"));
  try {
    return await work(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Works on the DynamoDB that another process serves: commands that watch a folder which nobody serves end at once. `work` closes the port. */
export async function onServed<Result>(
  work: (port: DynamoPort, endpoint: string) => Promise<Result>,
): Promise<Result> {
  const endpoint = process.env["WAITS_ENDPOINT"] ?? "";
  return work(connect({ endpoint, region: "us-east-1", credentials }), endpoint);
}
