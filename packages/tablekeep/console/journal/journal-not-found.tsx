import type { VNode } from "preact";
import { EmptyState } from "../parts/empty-state.tsx";
import { placeOf } from "../shell/route.ts";

export interface JournalNotFoundProps {
  readonly name: string;
  /** The screen that was opened with the name. */
  readonly screen: "journal" | "projections";
}

/** Shown if an address names a journal that the server does not have. */
export function JournalNotFound({ name, screen }: JournalNotFoundProps): VNode {
  return (
    <EmptyState title={`Journal “${name}” not found`}>
      <p>
        Its table may have been deleted, or the address has a typo. See{" "}
        <a href={placeOf([screen])}>the journals of this server</a>.
      </p>
    </EmptyState>
  );
}
