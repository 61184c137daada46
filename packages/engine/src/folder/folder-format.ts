import { existsSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../engine-error.ts";
import { readSmallFile, replaceSmallFile } from "./folder-files.ts";

const fileName = "format.json";
/** Raised whenever older versions could not read what this one writes. */
const supported = "1";

/** Marks a new folder with the format in which it is written, and refuses one of another format. */
export function checkFormat(path: string): void {
  const text = readSmallFile(path, fileName);
  if (text === undefined && !existsSync(join(path, "data.mdb"))) {
    replaceSmallFile(path, fileName, `${JSON.stringify({ format: supported })}\n`);
    return;
  }
  const found = text === undefined ? "none" : formatIn(text);
  if (found === supported) return;
  throw new EngineError(
    "ENGINE_FORMAT_UNKNOWN",
    `the folder ${path} has format ${found}, this version reads format ${supported}: ` +
      "open it with the version that wrote it, or load a dump of it into a new folder",
    { path, found, supported },
  );
}

/** Whether an engine has written into the folder before. */
export function isEngineFolder(path: string): boolean {
  return existsSync(join(path, fileName)) || existsSync(join(path, "data.mdb"));
}

function formatIn(text: string): string {
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return typeof format === "string" ? format : "unreadable";
  } catch {
    return "unreadable";
  }
}
