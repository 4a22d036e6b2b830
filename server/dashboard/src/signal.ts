// A value that components follow.
import {useEffect, useState} from 'preact/hooks';

export interface Signal<T> {
  get(): T;
  set(next: T | ((old: T) => T)): void;
  use(): T;
}

export function signal<T>(initial: T): Signal<T> {
  let value = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      value = typeof next === 'function' ? (next as (old: T) => T)(value) : next;
      for (const listener of listeners) listener(value);
    },
    use() {
      const [current, setCurrent] = useState(value);
      useEffect(() => {
        const listener = (next: T) => setCurrent(() => next);
        listeners.add(listener);
        listener(value);
        return () => void listeners.delete(listener);
      }, []);
      return current;
    },
  };
}
