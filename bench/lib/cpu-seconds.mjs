import { readFileSync } from "node:fs";

/** CPU that a process has used, by Linux's own count, in hundredths of a second. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
