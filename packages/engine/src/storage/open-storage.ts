import { MemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";

/** Where an engine keeps its data. */
export type StorageChoice =
  | { readonly kind: "memory" }
  | {
      readonly kind: "folder";
      /** The folder; it is created if it does not exist. It must not be on a network file system. */
      readonly path: string;
      /**
       * Flush writes to the disk before they are acknowledged. With `false` nothing is ever flushed: a killed process
       * still loses nothing, but after a power failure or a crash of the operating system the whole folder may be
       * corrupt, and cannot be repaired. Use `false` only for data that can be recreated, as in tests. @default true
       */
      readonly durable?: boolean;
    };

/** Opens the storage named in the options. */
export async function openStorage(choice: StorageChoice): Promise<Storage> {
  if (choice.kind === "memory") return new MemoryStorage();
  // Loaded on demand: an engine in memory starts without the storage library.
  const { FolderStorage } = await import("./folder-storage.ts");
  return FolderStorage.open(choice.path, { durable: choice.durable });
}
