/** Calls the emulated GitHub as one of its users. */

export interface RestIssue {
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  user: { login: string };
  labels: { name: string }[];
  comments: number;
}

export interface RestComment {
  user: { login: string };
  body: string;
}

export interface RestDelivery {
  event: string;
  action: string | null;
  status_code: number | null;
}

export type Rest = <Answer>(
  login: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
) => Promise<Answer>;

/** Rejects with the emulator's message if it refuses. */
export function restOf(url: string, tokenOf: (login: string) => string): Rest {
  return async <Answer>(login: string, method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${tokenOf(login)}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the emulated GitHub: ${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  };
}

/** All pages of a list. */
export async function all<Item>(rest: Rest, login: string, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const joint = path.includes('?') ? '&' : '?';
    const some = await rest<Item[]>(login, 'GET', `${path}${joint}per_page=100&page=${page}`);
    items.push(...some);
    if (some.length < 100) return items;
  }
}
