import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { PortHolder } from "../server-error.ts";

/** The process that listens on a port of this machine; undefined if that cannot be determined. Linux has it under `/proc`. */
export async function portHolder(port: number, proc = "/proc"): Promise<PortHolder | undefined> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`${proc}/net/${name}`, "latin1").catch(() => "")),
  );
  const sockets = new Set(tables.flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of await readdir(proc).catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const files = await openFiles(`${proc}/${pid}/fd`);
    if (files.some((file) => sockets.has(file))) return holderOf(proc, pid, files);
  }
  return undefined;
}

/** The inodes of sockets that listen on `port`, as `/proc/PID/fd` names them. */
function listeningSockets(table: string, port: number): readonly string[] {
  return table.split("\n").flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    const isListening = state === "0A" && Number.parseInt(local?.split(":")[1] ?? "", 16) === port;
    return isListening ? [`socket:[${inode}]`] : [];
  });
}

/** The targets of a process's file descriptors; none for processes of other users. */
async function openFiles(folder: string): Promise<readonly string[]> {
  const descriptors = await readdir(folder).catch(() => []);
  return Promise.all(descriptors.map((each) => readlink(`${folder}/${each}`).catch(() => "")));
}

async function holderOf(proc: string, pid: string, files: readonly string[]): Promise<PortHolder> {
  const line = await readFile(`${proc}/${pid}/cmdline`, "utf8").catch(() => "");
  const [program = "", script = ""] = line.split("\0");
  const isScript = /^(node|nodejs)$/.test(basename(program)) && !script.startsWith("-");
  const database = files.find((file) => file.endsWith("/data.mdb"));
  return {
    pid: Number(pid),
    program: [basename(program), ...(isScript && script !== "" ? [basename(script)] : [])].join(" "),
    ...(database !== undefined && { dataFolder: dirname(database) }),
  };
}
