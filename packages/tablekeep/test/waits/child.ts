import { type Clock, systemClock } from "@tablekeep/core";
import { waitingCalls } from "./waiting-calls.ts";

/**
 * Makes one call of the table and prints its result, with the lines of the bundle that set a timer meanwhile, as `file:line`. Does
 * nothing to stay alive: if the call does not, the process exits before it prints.
 */
const waitedIn = new Set<string>();
const { after } = systemClock;
Error.stackTraceLimit = 100;
const recorded: Clock["after"] = (ms, callback, options) => {
  if (!options?.background) {
    const stack = new Error("where").stack ?? "";
    for (const [, line = ""] of stack.matchAll(/([\w-]+\.mjs:\d+):\d+/g)) waitedIn.add(line);
  }
  return after(ms, callback, options);
};
Object.assign(systemClock, { after: recorded });

const result = await waitingCalls[process.argv[2] ?? ""]?.run();
process.stdout.write(JSON.stringify({ result, waitedIn: [...waitedIn] }));
