/**
 * Links to objects of the bucket, for whoever holds them and for a time: bytes that people send and get go by them, not through a
 * function, whose requests and answers may have 6 MB. Making a link asks nobody, and says nothing of whether there is an object.
 */
export interface Links {
  /** A link for one PUT of exactly this length and type. */
  uploadTo(key: string, what: UploadOf): Promise<UploadLink>;
  /** A link to get the object, under a name and a type of ours. */
  downloadFrom(key: string, as: DownloadAs): Promise<string>;
}

/** What a link takes. */
export interface UploadOf {
  readonly bytes: number;
  readonly mediaType: string;
  /** How long the link is good, in seconds; at most 604,800 (Signature Version 4). */
  readonly seconds: number;
}

/** A link to PUT to, with the headers that the request must have. Browsers set the length by themselves. */
export interface UploadLink {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a browser is told of the object. */
export interface DownloadAs {
  /** Plain text, any characters. */
  readonly name: string;
  readonly mediaType: string;
  /** Whether a browser may show it; otherwise it is saved. Only for what was looked into. */
  readonly inline?: boolean;
  /** How long the link is good, in seconds; at most 604,800 (Signature Version 4). */
  readonly seconds: number;
}

/** The `Content-Disposition` of a download (RFC 6266): the name in ASCII for old clients, and as it is. */
export function dispositionOf({ name, inline }: Pick<DownloadAs, 'name' | 'inline'>): string {
  const ascii = name.replaceAll(/[^\w .()-]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, escaped);
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
