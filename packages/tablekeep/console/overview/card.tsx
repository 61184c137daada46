import type { ComponentChildren, VNode } from "preact";

export interface CardProps {
  readonly title: string;
  readonly href: string;
  /** The count that it shows. @default none */
  readonly count?: string;
  readonly children: ComponentChildren;
}

/** One part of the overview. */
export function Card({ title, href, count, children }: CardProps): VNode {
  return (
    <section class="card" aria-label={title}>
      <h2>
        <a href={href}>{title}</a> {count !== undefined && <span class="dim">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

export interface LineProps {
  readonly href: string;
  readonly title: ComponentChildren;
  readonly note: string;
}

/** A line of a card: a link, and details about it. */
export function Line({ href, title, note }: LineProps): VNode {
  return (
    <li>
      <a class="row-line" href={href}>
        <span class="grow">{title}</span>
        <small>{note}</small>
      </a>
    </li>
  );
}
