import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** What tells a process from every other, also from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When it began, in the kernel's ticks since boot. Linux only. */
  readonly startTime?: string | undefined;
  /** Which run of the kernel it belongs to. Linux only. */
  readonly boot?: string | undefined;
  /** The name space in which its number means something; containers have their own. Linux only. */
  readonly pidNamespace?: string | undefined;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    startTime: startTimeOf("self"),
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** Whether a process still runs, as far as that can be seen from here. */
export type Liveness = "alive" | "dead" | "unknown";

/** Judges a process. `unknown` where it belongs to another machine, boot or container, or to a system without /proc. */
export function livenessOf(process: ProcessIdentity, self: ProcessIdentity = thisProcess()): Liveness {
  const sameKernel = self.boot !== undefined && process.boot === self.boot;
  if (sameKernel && process.startTime !== undefined && process.pidNamespace === self.pidNamespace) {
    return startTimeOf(process.pid) === process.startTime ? "alive" : "dead";
  }
  const comparable = self.boot === undefined && process.boot === undefined && process.host === self.host;
  return comparable && !isRunning(process.pid) ? "dead" : "unknown";
}

/** The start time of a process that runs; a zombie does not. */
function startTimeOf(pid: number | "self"): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The command's name, in parentheses, may hold anything; the fields after it are plain.
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return "ZX".includes(state) ? undefined : fields[18];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
