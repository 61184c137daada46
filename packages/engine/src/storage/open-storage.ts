import type { StorageChoice } from "../engine-options.ts";
import { MemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";

/** Opens the storage that the options name. */
export async function openStorage(choice: StorageChoice): Promise<Storage> {
  if (choice.kind === "memory") return new MemoryStorage();
  // Loaded when used: an engine in memory starts without the storage library.
  const { FolderStorage } = await import("./folder-storage.ts");
  return FolderStorage.open(choice.path, { durable: choice.durable });
}
