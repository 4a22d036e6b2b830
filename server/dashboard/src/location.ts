// Where the user is: path from the router, filters in the query.
import {useLocation, useSearch} from 'wouter-preact';

// One parameter of the address and a function that sets several; an empty value removes its parameter. Setting any but
// `page` goes back to the first page.
export function useQuery(): [URLSearchParams, (changes: Record<string, string>) => void] {
  const [path, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const set = (changes: Record<string, string>) => {
    const next = new URLSearchParams(search);
    if (!('page' in changes)) next.delete('page');
    for (const [key, value] of Object.entries(changes)) {
      if (value === '') next.delete(key);
      else next.set(key, value);
    }
    const text = next.toString();
    navigate(text === '' ? path : `${path}?${text}`);
  };
  return [search, set];
}
