import type { Command } from "commander";
import { addCommand, parseInteger, parseRate } from "../frame/add-command.ts";
import { type CommandContext, labeled } from "../frame/command-context.ts";

interface SimulateFlags {
  readonly url: string;
  readonly devices: number;
  readonly seed: string;
  readonly seconds: number;
  readonly interval: number;
}

/** `tablekeep shadow simulate` */
export function addShadowSimulateCommand(shadow: Command, context: CommandContext): void {
  addCommand(shadow, "simulate", {
    summary: "simulate devices that report to a server",
    description:
      "Connects devices to a server over MQTT, lets them report for some time, and prints what was sent and how the server responded. The same seed sends the same reports.",
    examples: [
      "npx tablekeep shadow simulate --devices 100 --seconds 30",
      "npx tablekeep shadow simulate --url mqtt://user:secret@127.0.0.1:1883 --seed ci",
    ],
  })
    .option("--url <url>", "MQTT listener of the server", "mqtt://127.0.0.1:1883")
    .option("--devices <number>", "number of devices", parseInteger(1), 100)
    .option("--seed <text>", "determines what the devices send", "1")
    .option("--seconds <number>", "how long devices send", parseRate, 10)
    .option("--interval <milliseconds>", "time between two reports of a device", parseInteger(1), 1000)
    .action((flags: SimulateFlags) => simulate(flags, context));
}

async function simulate({ interval, ...flags }: SimulateFlags, { io, print }: CommandContext): Promise<void> {
  const { simulateDevices } = await import("../../simulator/simulate-devices.ts");
  const result = await simulateDevices({ ...flags, intervalMs: interval, signal: io.signal });
  const { p50Ms, p99Ms, maxMs, ...counts } = result;
  const lines = Object.entries(counts).map(([name, value]) => [name, String(value)] as const);
  const times = [["answered in", `p50 ${p50Ms} ms, p99 ${p99Ms} ms, slowest ${maxMs} ms`] as const];
  print(labeled([...lines, ...times]), result);
}
