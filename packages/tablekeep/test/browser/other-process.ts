import { spawn } from "node:child_process";
import { once } from "node:events";
import { type HttpPortOptions, httpPort } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { buildProgram } from "../build-program.ts";

/** A port to the tables of a server, as another process has it. */
export function otherPort(endpoint: string): DynamoPort & AsyncDisposable {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const options: HttpPortOptions = { endpoint, region: "us-east-1", credentials };
  const port = httpPort(options);
  return Object.assign(port, { [Symbol.asyncDispose]: () => port.close() });
}

/** Runs the command line as a separate process on the tables of a server; returns its exit code. */
export async function runProgram(endpoint: string, ...argv: string[]): Promise<number> {
  const bin = await buildProgram();
  const child = spawn(process.execPath, [bin, ...argv, "--endpoint", endpoint], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  return code as number;
}
