import { useEffect, useState } from "preact/hooks";

/** A value that components watch. */
export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  /** Calls `listener` after every change, until the returned function is called. */
  watch(listener: (value: Value) => void): () => void;
}

export function createStore<Value>(start: Value): Store<Value> {
  let current = start;
  const listeners = new Set<(value: Value) => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    setValue(() => store.get());
    return store.watch((next) => setValue(() => next));
  }, [store]);
  return value;
}
