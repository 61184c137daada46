import type { ComponentChildren, VNode } from "preact";
import { CopyCommand } from "./copy-command.tsx";

export interface EmptyStateProps {
  readonly title: string;
  /** What to do next. */
  readonly children?: ComponentChildren;
  /** Command lines to copy. @default none */
  readonly commands?: readonly string[];
}

/** Stands where there is nothing to show, and says what to do about it. */
export function EmptyState({ title, children, commands = [] }: EmptyStateProps): VNode {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
      {commands.map((command) => (
        <CopyCommand key={command} command={command} />
      ))}
    </div>
  );
}
