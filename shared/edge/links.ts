/**
 * Links to objects of the bucket, valid for a time for anyone who has them. Bytes that people send and get go over them
 * and not through a function, whose requests and answers may have 6 MB. Making a link needs no request, and does not
 * check that the object exists.
 */
export interface Links {
  /** A link for one PUT of exactly this length and type. */
  uploadTo(key: string, what: UploadOf): Promise<UploadLink>;
  /** A link to get the object, under a name and a type that we choose. */
  downloadFrom(key: string, as: DownloadAs): Promise<string>;
}

/** The upload that a link accepts. */
export interface UploadOf {
  readonly bytes: number;
  readonly mediaType: string;
  /** How long the link is valid, in seconds; at most 604,800 (Signature Version 4). */
  readonly seconds: number;
}

/** A link to PUT to, with the headers that the request must have. Browsers set the length by themselves. */
export interface UploadLink {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a browser is told to treat the object. */
export interface DownloadAs {
  /** Plain text, any characters. */
  readonly name: string;
  readonly mediaType: string;
  /** Whether a browser may show it; otherwise it is saved. Only for objects whose content was inspected. */
  readonly inline?: boolean;
  /** How long the link is valid, in seconds; at most 604,800 (Signature Version 4). */
  readonly seconds: number;
}

/** The `Content-Disposition` of a download (RFC 6266): the name in ASCII for old clients, and unchanged. */
export function dispositionOf({ name, inline }: Pick<DownloadAs, 'name' | 'inline'>): string {
  const ascii = name.replaceAll(/[^\w .()-]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, escaped);
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
