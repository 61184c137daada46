/** Compacts a folder, and kills itself right before the copy replaces the database, or right after. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { compactFolder } from "@tablekeep/engine";

const [path = "", when] = process.argv.slice(2);
const { renameSync } = fs;
const kill = () => process.kill(process.pid, "SIGKILL");
fs.renameSync = (from, to) => {
  const replaces = String(to).endsWith("data.mdb");
  if (replaces && when === "before") kill();
  renameSync(from, to);
  if (replaces) kill();
};
syncBuiltinESMExports();
await compactFolder(path);
