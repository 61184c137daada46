import type { ComponentChildren, VNode } from "preact";
import { servedPath } from "../api/call-api.ts";
import { placeOf } from "../shell/route.ts";
import { CopyCommand } from "./copy-command.tsx";

export interface EmptyStateProps {
  readonly title: string;
  /** What to do next. */
  readonly children?: ComponentChildren;
  /** Command lines to copy. @default none */
  readonly commands?: readonly string[];
}

/** Shown if there is nothing to show, with what to do about it. */
export function EmptyState({ title, children, commands = [] }: EmptyStateProps): VNode {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
      {commands.map((command) => (
        <CopyCommand key={command} command={command} />
      ))}
      {commands.some(readsFolder) && (
        <p class="dim">
          <code>npx tablekeep</code> works on <code>./tablekeep-data</code> where it is typed. For a server on
          another folder, or in memory, add <code>--endpoint</code> with its{" "}
          <a href={servedPath("/about")}>DynamoDB address</a>.
        </p>
      )}
    </div>
  );
}

/** Whether a command goes to a folder, which may not be the one of this server. */
function readsFolder(command: string): boolean {
  return command.startsWith("npx tablekeep ") && !command.startsWith("npx tablekeep serve");
}

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
