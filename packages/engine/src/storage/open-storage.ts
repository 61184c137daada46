import { MemoryStorage } from "./memory-storage.ts";
import type { Storage } from "./storage.ts";

/** Where an engine keeps its data. */
export type StorageChoice =
  | { readonly kind: "memory" }
  | {
      readonly kind: "folder";
      /** The folder; it is made if it is not there. Not one on a network file system. */
      readonly path: string;
      /**
       * Flush writes to the disk before they are acknowledged. With `false` nothing is ever flushed: a killed process still
       * loses nothing, but after a power cut or a crash of the operating system the folder may be corrupt as a whole, and
       * there is no repair. Use `false` only for data that can be made again, as in tests. @default true
       */
      readonly durable?: boolean | undefined;
    };

/** Opens the storage that the options name. */
export async function openStorage(choice: StorageChoice): Promise<Storage> {
  if (choice.kind === "memory") return new MemoryStorage();
  // Loaded when used: an engine in memory starts without the storage library.
  const { FolderStorage } = await import("./folder-storage.ts");
  return FolderStorage.open(choice.path, { durable: choice.durable });
}
