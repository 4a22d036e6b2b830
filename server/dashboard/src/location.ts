// Where the user is: path from the router, filters in the query.
import {useLocation, useSearch} from 'wouter-preact';

// One parameter of the address and a function that sets several; an empty value removes its parameter. Setting any but
// `page` goes back to the first page, of the first part (`from`). `replace`: not a step to come back to, as a letter
// that is typed.
export type SetQuery = (changes: Record<string, string>, options?: {replace: boolean}) => void;
export function useQuery(): [URLSearchParams, SetQuery] {
  const [path, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const set: SetQuery = (changes, options) => {
    const next = new URLSearchParams(search);
    if (!('page' in changes)) {
      next.delete('page');
      next.delete('from');
    }
    for (const [key, value] of Object.entries(changes)) {
      if (value === '') next.delete(key);
      else next.set(key, value);
    }
    const text = next.toString();
    navigate(text === '' ? path : `${path}?${text}`, options);
  };
  return [search, set];
}
