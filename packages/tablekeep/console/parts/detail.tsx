import type { ComponentChildren, VNode } from "preact";
import "./detail.css";

export interface DetailProps {
  readonly title: string;
  /** The target of the back link, if there is space for one pane only. */
  readonly back: string;
  /** Stands beside the title: buttons. @default nothing */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The open detail: a title, and its content. */
export function Detail({ title, back, actions, children }: DetailProps): VNode {
  return (
    <article class="detail">
      <header>
        <a class="button detail-back" href={back} aria-label="Back to the list">
          ←
        </a>
        <h2 class="detail-title">{title}</h2>
        {actions !== undefined && <div class="detail-actions">{actions}</div>}
      </header>
      {children}
    </article>
  );
}

/** Facts by their names. Undefined ones are omitted. */
export function Facts({
  facts,
}: {
  readonly facts: Readonly<Record<string, ComponentChildren | undefined>>;
}): VNode {
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
