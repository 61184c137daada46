import { useState } from "preact/hooks";
import { ApiError } from "../../api/call-api.ts";
import { tellFailure } from "../../shell/toasts.tsx";
import { forgetUnsaved } from "../../shell/unsaved.ts";
import type { TableFacts, WireItem } from "../api/table-facts.ts";
import { fetchItem } from "../api/tables-api.ts";
import { keyOfItem } from "../query/items-query.ts";
import { applyChange } from "./item-changes.ts";

/** Saves an edited item. */
export interface ItemSave {
  readonly isSaving: boolean;
  /** The item that is stored instead of the edited one: null if it was deleted; undefined without a conflict. */
  readonly stored: WireItem | null | undefined;
  /** Saves if `from` is still stored; otherwise sets `stored`. */
  save(from: WireItem | null, item: WireItem): Promise<void>;
  /** Forgets the conflict. */
  forget(): void;
}

export interface ItemSaveOptions {
  readonly facts: TableFacts;
  readonly onSaved: (item: WireItem) => void;
  readonly onConflict: (() => void) | undefined;
}

/** Saves an item only if it was not changed meanwhile, and reads what is stored if it was. */
export function useItemSave({ facts, onSaved, onConflict }: ItemSaveOptions): ItemSave {
  const [isSaving, setIsSaving] = useState(false);
  const [stored, setStored] = useState<WireItem | null>();
  const save = async (from: WireItem | null, item: WireItem) => {
    if (isSaving) return;
    setIsSaving(true);
    const outcome = await applyChange({ table: facts.name, from, to: item });
    if (outcome === "conflict") {
      setStored(await storedItem(facts, item));
      onConflict?.();
    }
    if (outcome === "applied") {
      forgetUnsaved();
      onSaved(item);
    }
    setIsSaving(false);
  };
  return { isSaving, stored, save, forget: () => setStored(undefined) };
}

/** The stored item with the key of another; null if there is none, and undefined if it cannot be read. */
async function storedItem(facts: TableFacts, item: WireItem): Promise<WireItem | null | undefined> {
  try {
    return (await fetchItem(facts.name, keyOfItem(facts, item), AbortSignal.timeout(10_000))).item;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    tellFailure(error);
    return undefined;
  }
}
