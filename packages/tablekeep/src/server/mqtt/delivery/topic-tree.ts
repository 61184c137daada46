interface Node<Subscriber, Options> {
  readonly children: Map<string, Node<Subscriber, Options>>;
  readonly subscribers: Map<Subscriber, Options>;
}

/** Subscriptions by topic filter. Finding the subscribers of a topic costs as much as the filters that can match it. */
export class TopicTree<Subscriber, Options> {
  readonly #root = emptyNode<Subscriber, Options>();

  /** Adds a subscription, or changes its options. */
  add(filter: string, subscriber: Subscriber, options: Options): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      let next = node.children.get(level);
      if (next === undefined) {
        next = emptyNode();
        node.children.set(level, next);
      }
      node = next;
    }
    node.subscribers.set(subscriber, options);
  }

  remove(filter: string, subscriber: Subscriber): void {
    const path: { readonly parent: Node<Subscriber, Options>; readonly level: string }[] = [];
    let node = this.#root;
    for (const level of filter.split("/")) {
      const next = node.children.get(level);
      if (next === undefined) return;
      path.push({ parent: node, level });
      node = next;
    }
    node.subscribers.delete(subscriber);
    for (const { parent, level } of path.reverse()) {
      const child = parent.children.get(level);
      if (child === undefined || child.subscribers.size > 0 || child.children.size > 0) return;
      parent.children.delete(level);
    }
  }

  /** Each subscriber of a topic, with the options of all its filters that match. */
  match(topic: string): Map<Subscriber, Options[]> {
    const found = new Map<Subscriber, Options[]>();
    visit(this.#root, topic.split("/"), 0, (node) => {
      for (const [subscriber, options] of node.subscribers) {
        const known = found.get(subscriber);
        if (known === undefined) found.set(subscriber, [options]);
        else known.push(options);
      }
      return false;
    });
    return found;
  }

  /** Whether a topic has subscribers. */
  has(topic: string): boolean {
    return visit(this.#root, topic.split("/"), 0, ({ subscribers }) => subscribers.size > 0);
  }
}

/** Visits the node of each filter that matches a topic, until `take` returns true; returns whether it did. */
function visit<Subscriber, Options>(
  node: Node<Subscriber, Options>,
  levels: readonly string[],
  depth: number,
  take: (node: Node<Subscriber, Options>) => boolean,
): boolean {
  // A wildcard at the first level does not match topics that begin with $.
  const takesWildcards = depth > 0 || !levels[0]?.startsWith("$");
  const rest = takesWildcards ? node.children.get("#") : undefined;
  if (rest !== undefined && take(rest)) return true;
  const level = levels[depth];
  if (level === undefined) return take(node);
  const named = node.children.get(level);
  if (named !== undefined && visit(named, levels, depth + 1, take)) return true;
  const any = takesWildcards && level !== "+" ? node.children.get("+") : undefined;
  return any !== undefined && visit(any, levels, depth + 1, take);
}

function emptyNode<Subscriber, Options>(): Node<Subscriber, Options> {
  return { children: new Map(), subscribers: new Map() };
}
