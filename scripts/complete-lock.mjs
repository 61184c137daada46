/** `npm run complete-lock`: adds to package-lock.json the packages of other platforms that npm left out. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completedLock, missingPlatforms } from "./lib/complete-lock.mjs";
import { rootFolder } from "./lib/run-command.mjs";

const file = join(rootFolder, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
const added = Object.keys(missingPlatforms(lock)).length;
if (added > 0) writeFileSync(file, `${JSON.stringify(completedLock(lock), null, 2)}\n`);
console.log(added === 0 ? "package-lock.json is complete" : `added ${added} packages to package-lock.json`);
