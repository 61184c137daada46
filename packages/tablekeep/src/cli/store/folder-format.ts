import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [formatFile, dataFile] = ["format.json", "data.mdb"];

/**
 * Throws `ENGINE_FORMAT_UNKNOWN` if this version cannot read the format of a data folder, and `ENGINE_FOLDER_DENIED` if this user may
 * not read it. Opens a temporary folder of that format instead of the folder itself: that would lock the folder, and may upgrade it.
 */
export async function checkFormat(folder: string): Promise<void> {
  const { EngineError, isEngineError, openEngine } = await import("@tablekeep/engine");
  const format = await formatOf(folder);
  let probe: string | undefined;
  try {
    probe = mkdtempSync(join(tmpdir(), "tablekeep-format-"));
    if (format === undefined) writeFileSync(join(probe, dataFile), "");
    else writeFileSync(join(probe, formatFile), format);
    await (await openEngine({ storage: { kind: "folder", path: probe } })).close();
  } catch (error) {
    // Anything else says nothing about the format: the temporary folder may be on a full disk.
    if (probe === undefined || !isEngineError(error, "ENGINE_FORMAT_UNKNOWN")) return;
    const details = { ...error.details, path: folder };
    throw new EngineError("ENGINE_FORMAT_UNKNOWN", error.message.replace(probe, folder), details);
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
}

/** The content of the file with the format; undefined if there is none. */
async function formatOf(folder: string): Promise<string | undefined> {
  const { EngineError } = await import("@tablekeep/engine");
  try {
    return readFileSync(join(folder, formatFile), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const isDenied = code === "EACCES" || code === "EPERM";
    throw new EngineError(
      isDenied ? "ENGINE_FOLDER_DENIED" : "ENGINE_FOLDER_UNUSABLE",
      `folder ${folder} cannot be used (${formatFile} cannot be read: ${code}): use one that this process can read and write`,
      { path: folder },
      { cause: error },
    );
  }
}
